import { useLayoutEffect, useRef, useState, type RefObject } from "react";

/** The width of an element in pixels, followed as it changes. */
export function useWidth<E extends HTMLElement>(fallback = 800): [RefObject<E | null>, number] {
  const element = useRef<E>(null);
  const [width, setWidth] = useState(fallback);
  useLayoutEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => {
      const next = Math.floor(entry?.contentRect.width ?? 0);
      if (next > 0) setWidth(next);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
