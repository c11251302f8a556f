import { Fragment, useState } from "react";
import { useMessages } from "../i18n";
import { ownKey, putKey, setPreferences, SINGLE_KEYS, usePreferences } from "../preferences";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import styles from "./Shell.module.css";

/** The keys that work, in a dialog. */
export function ShortcutHelp({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { shell, tabs } = useMessages();
  usePreferences(); // drawn anew when a key is put elsewhere
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
            <dt>{key.split(" ").map((part, at) => part && <kbd key={part}>{shown(part, at)}</kbd>)}</dt>
            <dd>{text}</dd>
          </Fragment>
        ))}
      </dl>
      <OwnKeys />
    </Dialog>
  );
}

/** What to press: the person's own key for a single one, the letter of a tab as it is. */
function shown(part: string, at: number): string {
  const isSingle = SINGLE_KEYS.some((key) => key === part);
  return isSingle && (at === 0 || "jk[]".includes(part)) ? ownKey(part) : part;
}

/** Puts what a single key does on another one. */
function OwnKeys() {
  const { shell } = useMessages();
  const { keys } = usePreferences();
  const [refused, setRefused] = useState<string | null>(null);
  const put = (usual: string, typed: string) => {
    if (typed !== "") setRefused(putKey(usual, typed) ? null : typed);
  };
  return (
    <section className={styles["ownkeys"]}>
      <h3>{shell.ownKeys}</h3>
      <div>
        {SINGLE_KEYS.map((usual) => (
          <label key={usual}>
            <kbd>{usual}</kbd>
            <input
              aria-label={shell.ownKeyOf(usual)}
              size={2}
              value={ownKey(usual)}
              onFocus={(event) => event.target.select()}
              onChange={(event) => put(usual, event.target.value.slice(-1))}
            />
          </label>
        ))}
      </div>
      <p role="status" className="muted">
        {refused === null ? shell.ownKeysHint : shell.keyTaken(refused)}
      </p>
      {Object.keys(keys).length > 0 && (
        <Button onClick={() => setPreferences({ keys: {} })}>{shell.usualKeys}</Button>
      )}
    </section>
  );
}
