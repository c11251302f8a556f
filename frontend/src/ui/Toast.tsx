import { createContext, use, useCallback, useState, type ReactNode } from "react";
import styles from "./Toast.module.css";

const SHOWN_MILLIS = 4000;

const ToastContext = createContext<(text: string) => void>(() => undefined);

/** Shows short confirmations of what the person just did. Nothing important lives only here. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly { id: number; text: string }[]>([]);
  const show = useCallback((text: string) => {
    const id = Date.now() + Math.random();
    setToasts((now) => [...now, { id, text }]);
    setTimeout(() => setToasts((now) => now.filter((toast) => toast.id !== id)), SHOWN_MILLIS);
  }, []);
  return (
    <ToastContext value={show}>
      {children}
      <div className={styles["stack"]} role="status">
        {toasts.map((toast) => (
          <div key={toast.id} className={styles["toast"]}>
            {toast.text}
          </div>
        ))}
      </div>
    </ToastContext>
  );
}

export function useToast(): (text: string) => void {
  return use(ToastContext);
}
