import { useEffect, useRef, useState } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { hasEnded, jobKeys, type Job } from "../../api/jobs";
import { JobFollower, NOTHING_YET, oneAtATime, type Followed } from "./follow";

/** All events of a job and its log so far, followed until it has ended; the job itself is kept up to date by the way. */
export function useJobStream(job: Job): Followed {
  const client = useQueryClient();
  const { id } = job;
  const readsLog = job.log_needs === null;
  const ended = hasEnded(job);
  const endedFirst = useRef(ended);
  const follower = useRef<JobFollower>(null);
  const [followed, setFollowed] = useState(NOTHING_YET);
  useEffect(() => {
    const ask = oneAtATime(() => client.refetchQueries({ queryKey: jobKeys.one(id), exact: true }));
    const following = new JobFollower(
      id,
      endedFirst.current,
      setFollowed,
      (now) => {
        const known = client.getQueryData<Job>(jobKeys.one(id));
        if (now === null || known === undefined || isBehind(known, now)) ask();
      },
      readsLog,
    );
    follower.current = following;
    following.start();
    return () => following.stop();
  }, [client, id, readsLog]);
  useEffect(() => {
    if (ended) follower.current?.end();
  }, [ended]);
  return followed;
}

function isBehind(known: Job, now: Pick<Job, "state" | "progress">): boolean {
  return (
    known.state !== now.state ||
    known.progress?.phase !== now.progress?.phase ||
    known.progress?.done !== now.progress?.done ||
    known.progress?.total !== now.progress?.total
  );
}
