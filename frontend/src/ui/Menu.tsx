import type { ReactNode } from "react";
import {
  Button as AriaButton,
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  MenuTrigger,
  Popover,
  type Selection,
} from "react-aria-components";
import { buttonClass, type ButtonLook } from "./Button";
import { Icon } from "./Icon";
import styles from "./Overlay.module.css";

export interface MenuEntry {
  readonly id: string;
  readonly label: string;
  readonly note?: string;
  readonly disabled?: boolean;
}

interface MenuProps {
  /** What the menu is about; read out before what `trigger` shows. */
  readonly label: string;
  readonly trigger: ReactNode;
  readonly items: readonly MenuEntry[];
  readonly onAction?: (id: string) => void;
  readonly look?: ButtonLook;
  /** Draws an arrow after the trigger. */
  readonly caret?: boolean;
  /** Checked entries, for menus that choose instead of act. */
  readonly selected?: ReadonlySet<string>;
  readonly onSelect?: (ids: ReadonlySet<string>) => void;
  readonly single?: boolean;
}

/** A button that opens a list of actions or choices. */
export function Menu(props: MenuProps) {
  const {
    label,
    trigger,
    items,
    onAction,
    look = "normal",
    caret = false,
    selected,
    onSelect,
    single,
  } = props;
  const choosing = selected !== undefined;
  return (
    <MenuTrigger>
      <AriaButton className={buttonClass(look)}>
        {trigger !== label && <span className="sr-only">{label}: </span>}
        {trigger}
        {caret && <Icon name="chevronDown" />}
      </AriaButton>
      <Popover className={styles["popover"] ?? ""} placement="bottom end">
        <AriaMenu
          className={styles["menu"] ?? ""}
          aria-label={label}
          disabledKeys={items.filter((item) => item.disabled).map((item) => item.id)}
          onAction={(key) => onAction?.(String(key))}
          {...(choosing && {
            selectionMode: single ? "single" : "multiple",
            selectedKeys: selected,
            onSelectionChange: (keys: Selection) =>
              onSelect?.(new Set(keys === "all" ? items.map((i) => i.id) : [...keys].map(String))),
          })}
        >
          {items.map((item) => (
            <AriaMenuItem key={item.id} id={item.id} textValue={item.label} className={styles["item"] ?? ""}>
              <span>{item.label}</span>
              {item.note !== undefined && <span className={styles["note"]}>{item.note}</span>}
            </AriaMenuItem>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
