import { createContext, use, useCallback, useEffect, useId, useState, type ReactNode } from "react";
import { ApiProblem } from "../api/problem";
import { useMessages } from "../i18n";
import { Button } from "../ui/Button";
import { Notice } from "../ui/States";
import styles from "./Parts.module.css";

interface Part {
  readonly name: string;
  readonly error: Error;
  readonly isTrying: boolean;
  readonly retry: () => unknown;
}

type Tell = (id: string, part: Part | null) => void;

const PartsContext = createContext<Tell | null>(null);

/** What of a page is there, below a banner that names the parts that could not be read, each to be tried again. */
export function Parts({ children }: { children: ReactNode }): ReactNode {
  const [parts, setParts] = useState<ReadonlyMap<string, Part>>(new Map());
  const tell = useCallback<Tell>((id, part) => {
    setParts((before) => {
      const after = new Map(before);
      if (part === null) after.delete(id);
      else after.set(id, part);
      return after;
    });
  }, []);
  return (
    <PartsContext value={tell}>
      <Banner parts={[...parts]} />
      {children}
    </PartsContext>
  );
}

function Banner({ parts }: { parts: readonly (readonly [id: string, part: Part])[] }) {
  const { states } = useMessages();
  return (
    <div role="status" className={styles["banner"]}>
      {parts.length > 0 && (
        <Notice tone="warn">
          {states.partial(parts.length)}
          <ul className={styles["parts"]}>
            {parts.map(([id, part]) => (
              <li key={id}>
                <span>
                  <strong>{part.name}</strong>: {whyOf(part.error)}
                </span>
                <Button
                  look="quiet"
                  icon="refresh"
                  aria-label={states.retryPart(part.name)}
                  aria-disabled={part.isTrying}
                  onClick={() => !part.isTrying && part.retry()}
                >
                  {states.retry}
                </Button>
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </div>
  );
}

function whyOf(error: Error): string {
  return error instanceof ApiProblem ? (error.problem.detail ?? error.problem.title) : error.message;
}

interface Asked {
  readonly data: unknown;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

/**
 * Names a part of the page in its banner while it could not be read; what goes without a name is left out. It stays
 * there while it is tried again, so that nobody loses the button in hand.
 */
export function usePart(name: string | undefined, { data, error, refetch }: Asked): void {
  const tell = use(PartsContext);
  const id = useId();
  const [failed, setFailed] = useState<Error | null>(null);
  if (data !== undefined && failed !== null) setFailed(null);
  if (data === undefined && error !== null && failed !== error) setFailed(error);
  const isTrying = failed !== null && error === null;
  useEffect(() => {
    if (tell === null || name === undefined || failed === null) return;
    tell(id, { name, error: failed, isTrying, retry: refetch });
  }, [tell, id, name, failed, isTrying, refetch]);
  useEffect(() => {
    if (tell !== null && failed === null) tell(id, null);
  }, [tell, id, failed]);
  useEffect(() => () => tell?.(id, null), [tell, id]);
}

/** The same for what a page asks for itself: a page stands above its banner. */
export function Part({ name, query }: { name: string; query: Asked }): null {
  usePart(name, query);
  return null;
}
