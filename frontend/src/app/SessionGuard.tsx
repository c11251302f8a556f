import { useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { extendSession, meQuery, whoIsSignedIn } from "../api/session";
import { signInAddress } from "../api/client";
import { onSessionEnd, sessionEnd } from "../api/sessionEnd";
import { useFormat, useMessages } from "../i18n";
import { Button, buttonClass } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { useNow } from "../ui/Timestamp";

const WARN_MILLIS = 5 * 60_000;
const LOOK_MILLIS = 3000;

/** Warns before the session ends, lets it be extended, and keeps the page as it is when it has ended. */
export function SessionGuard(): ReactNode {
  const end = useSyncExternalStore(onSessionEnd, sessionEnd);
  const endsAt = end === null ? Number.POSITIVE_INFINITY : Math.min(end.idleAt, end.lastAt);
  const now = useNow(1000);
  if (end === null) return null;
  if (end.ended) return <Ended />;
  return now > endsAt - WARN_MILLIS ? (
    <Warning
      key={end.lastAt < end.idleAt ? "last" : "idle"}
      left={endsAt - now}
      isLast={end.lastAt < end.idleAt}
    />
  ) : null;
}

/** All ways out of it, Escape too, keep the session where it can be kept. */
function Warning({ left, isLast }: { left: number; isLast: boolean }) {
  const { session } = useMessages();
  const format = useFormat();
  const [open, setOpen] = useState(true);
  const client = useQueryClient();
  const stay = () => {
    if (isLast) setOpen(false);
    else void extendSession().then((me) => client.setQueryData(meQuery.queryKey, me));
  };
  const seconds = Math.max(0, Math.ceil(left / 1000));
  return (
    <Dialog
      title={isLast ? session.endsSoon : session.stillThere}
      open={open}
      onClose={stay}
      actions={
        <Button look="primary" onClick={stay}>
          {isLast ? session.understood : session.stay}
        </Button>
      }
    >
      <p>{(isLast ? session.endsAnyway : session.endsIn)(format.duration(seconds * 1000))}</p>
    </Dialog>
  );
}

/** What stands on the page stays, while the person signs in beside it. */
function Ended() {
  const { session } = useMessages();
  const client = useQueryClient();
  const { data: me } = useQuery({ ...meQuery, enabled: false });
  const before = useRef(me?.username);
  useEffect(() => {
    const look = async () => {
      const username = await whoIsSignedIn();
      if (username === null) return;
      // Somebody else may see other things, and is not to send what this person has typed.
      if (before.current !== undefined && username !== before.current) location.reload();
      else await client.invalidateQueries();
    };
    const timer = setInterval(() => void look(), LOOK_MILLIS);
    return () => clearInterval(timer);
  }, [client]);
  return (
    <Dialog
      title={session.ended}
      open
      onClose={() => undefined}
      actions={
        <>
          <a className={buttonClass()} href={signInAddress()}>
            {session.signInHere}
          </a>
          <a className={buttonClass("primary")} href={signInAddress()} target="_blank" rel="noreferrer">
            {session.signInBeside}
          </a>
        </>
      }
    >
      <p>{session.endedDetail}</p>
    </Dialog>
  );
}
