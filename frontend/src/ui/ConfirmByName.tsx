import { useEffect, useState } from "react";
import { useMessages } from "../i18n";
import { Button } from "./Button";
import { TextField } from "./Field";
import styles from "./Form.module.css";

export interface Confirmation {
  readonly confirmation: string;
  readonly reason: string;
}

interface ConfirmByNameProps {
  /** What has to be typed, in full. */
  readonly name: string;
  /** The verb on the button. */
  readonly action: string;
  readonly busy: boolean;
  readonly disabled?: boolean;
  readonly onConfirm: (confirmation: Confirmation) => void;
  /** Time between the right name and the armed button. */
  readonly armMillis?: number;
}

/** The last step before something is removed: a reason, the name typed in full (pasting is fine), and a pause. */
export function ConfirmByName({
  name,
  action,
  busy,
  disabled = false,
  onConfirm,
  armMillis = 5000,
}: ConfirmByNameProps) {
  const { confirm } = useMessages();
  const [typed, setTyped] = useState("");
  const [reason, setReason] = useState("");
  const complete = typed === name && reason.trim() !== "" && !disabled;
  const armed = useArmed(complete, armMillis);
  return (
    <form
      className={styles["armed"]}
      onSubmit={(event) => {
        event.preventDefault();
        if (complete && armed && !busy) onConfirm({ confirmation: typed, reason: reason.trim() });
      }}
    >
      <TextField
        label={confirm.reason}
        hint={confirm.reasonHint}
        value={reason}
        disabled={disabled}
        onChange={(event) => setReason(event.target.value)}
      />
      <TextField
        label={confirm.typeName(name)}
        value={typed}
        disabled={disabled}
        autoComplete="off"
        spellCheck={false}
        error={typed !== "" && !name.startsWith(typed) ? confirm.nameDiffers : null}
        onChange={(event) => setTyped(event.target.value)}
      />
      <div>
        <Button type="submit" look="danger" disabled={!complete || !armed || busy}>
          {complete && !armed ? confirm.arming : action}
        </Button>
      </div>
    </form>
  );
}

function useArmed(complete: boolean, millis: number): boolean {
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    if (!complete) return;
    const timer = setTimeout(() => setArmed(true), millis);
    return () => {
      clearTimeout(timer);
      setArmed(false);
    };
  }, [complete, millis]);
  return armed;
}
