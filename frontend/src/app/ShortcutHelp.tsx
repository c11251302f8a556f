import { Fragment } from "react";
import { useMessages } from "../i18n";
import { Dialog } from "../ui/Dialog";
import styles from "./Shell.module.css";

/** The keys that work, in a dialog. */
export function ShortcutHelp({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { shell, tabs } = useMessages();
  const rows: [string, string][] = [
    ["Ctrl K", shell.keySearch],
    ["/", shell.keyFilter],
    ["[  ]", shell.keyNeighbours],
    ["g o", tabs.overview],
    ["g t", tabs.timeline],
    ["g f", tabs.files],
    ["g l", tabs.lsm],
    ["g s", tabs.schemas],
    ["g i", tabs.indexes],
    ["g d", tabs.data],
    ["g r", tabs.refs],
    ["g p", tabs.options],
    ["g y", tabs.system],
    ["g j", tabs.jobs],
    ["j  k", shell.keyGrid],
    ["Enter", shell.keyOpen],
    ["Shift Space", shell.keyChoose],
    ["Shift ← →", shell.keyWidth],
    ["Esc", shell.keyClose],
    ["v", shell.keyTwin],
    ["c", shell.keyCopy],
    ["?", shell.shortcuts],
  ];
  return (
    <Dialog title={shell.shortcuts} open={open} onClose={onClose}>
      <dl className={styles["shortcuts"]}>
        {rows.map(([key, text]) => (
          <Fragment key={key}>
            <dt>{key.split(" ").map((part) => part && <kbd key={part}>{part}</kbd>)}</dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
      </dl>
    </Dialog>
  );
}
