import type { ReactNode } from "react";
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components";
import styles from "./Overlay.module.css";

interface DialogProps {
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** Buttons at the end, the way out first. */
  readonly actions?: ReactNode;
  readonly wide?: boolean;
  /** Leaves out the visible heading and the padding; the title still names the dialog. */
  readonly bare?: boolean;
}

/** A window over the page that holds the focus until it is closed; Escape closes it. */
export function Dialog({ title, open, onClose, children, actions, wide = false, bare = false }: DialogProps) {
  return (
    <ModalOverlay
      isOpen={open}
      onOpenChange={(next) => !next && onClose()}
      isDismissable
      className={styles["scrim"] ?? ""}
    >
      <Modal className={`${styles["modal"] ?? ""} ${wide ? (styles["wide"] ?? "") : ""}`}>
        <AriaDialog className={(bare ? styles["bare"] : styles["dialog"]) ?? ""} aria-label={title}>
          {!bare && (
            <Heading slot="title" level={2}>
              {title}
            </Heading>
          )}
          {children}
          {actions !== undefined && <div className={styles["actions"]}>{actions}</div>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
