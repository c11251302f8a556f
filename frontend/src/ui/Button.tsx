import type { ComponentProps, ReactNode } from "react";
import styles from "./Button.module.css";
import { Icon, type IconName } from "./Icon";

export type ButtonLook = "normal" | "primary" | "danger" | "quiet";

/** The class of something that looks like a button, for links that lead to an action. */
export function buttonClass(look: ButtonLook = "normal"): string {
  return [styles["button"], look === "normal" ? "" : styles[look]].filter(Boolean).join(" ");
}

interface ButtonProps extends ComponentProps<"button"> {
  readonly look?: ButtonLook;
  readonly icon?: IconName;
  readonly children?: ReactNode;
}

export function Button({ look = "normal", icon, children, className, ...rest }: ButtonProps) {
  return (
    <button type="button" className={[buttonClass(look), className].filter(Boolean).join(" ")} {...rest}>
      {icon !== undefined && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  readonly icon: IconName;
  readonly label: string;
  readonly look?: ButtonLook;
}

/** A button without visible words; `label` is its name and its tooltip. */
export function IconButton({ icon, label, look = "quiet", ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      className={`${buttonClass(look)} ${styles["icon"] ?? ""}`}
      aria-label={label}
      title={label}
      {...rest}
    >
      <Icon name={icon} />
    </button>
  );
}
