import { useEffect, useRef, type ReactNode } from "react";
import { useMessages } from "../i18n";
import { IconButton } from "./Button";
import styles from "./Overlay.module.css";

interface DrawerProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Details beside the page: the page stays usable. Escape closes it and gives the focus back. */
export function Drawer({ title, onClose, children }: DrawerProps) {
  const { ui } = useMessages();
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    panel.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <div
      ref={panel}
      role="dialog"
      aria-label={title}
      tabIndex={-1}
      className={styles["drawer"]}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      <div className={styles["drawerhead"]}>
        <h2 title={title}>{title}</h2>
        <IconButton icon="close" label={ui.close} onClick={onClose} />
      </div>
      <div className={styles["drawerbody"]}>{children}</div>
    </div>
  );
}
