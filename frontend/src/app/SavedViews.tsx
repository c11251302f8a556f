import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { fieldError } from "../api/problem";
import { removeSavedView, savedViewKeys, savedViewsQuery, saveView, type SavedView } from "../api/savedViews";
import { useMessages } from "../i18n";
import { Button, IconButton } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { TextField } from "../ui/Field";
import { Failed } from "./Answer";
import styles from "./SavedViews.module.css";
import { validateSearch, type Search } from "./search";
import { usePageSearch } from "./useSearch";

/** Filters and sort of a list under names of one's own: opened, saved and removed. */
export function SavedViews({ page }: { page: SavedView["page"] }) {
  const { savedViews } = useMessages();
  const navigate = useNavigate();
  const client = useQueryClient();
  const search = kept(usePageSearch());
  const { data } = useInfiniteQuery(savedViewsQuery(page));
  const [asking, setAsking] = useState(false);
  const forget = useMutation({
    mutationFn: (view: SavedView) => removeSavedView(view.id),
    onSuccess: () => void client.invalidateQueries({ queryKey: savedViewKeys.of(page) }),
  });
  const views = data?.pages.flatMap((part) => part.items) ?? [];
  const here = JSON.stringify(sorted(search));
  return (
    <nav className={styles["views"]} aria-label={savedViews.title}>
      <span className="muted">{savedViews.title}</span>
      {views.map((view) => (
        <span key={view.id} className={styles["view"]}>
          <Button
            look="quiet"
            aria-pressed={JSON.stringify(sorted(validateSearch(view.search))) === here}
            onClick={() =>
              void navigate({
                to: ".",
                search: ({ at, branch }: Search) => ({ ...validateSearch(view.search), at, branch }),
              })
            }
          >
            {view.name}
          </Button>
          <IconButton
            icon="close"
            label={savedViews.remove(view.name)}
            disabled={forget.isPending}
            onClick={() => forget.mutate(view)}
          />
        </span>
      ))}
      <Button look="quiet" disabled={Object.keys(search).length === 0} onClick={() => setAsking(true)}>
        {savedViews.save}
      </Button>
      {views.length === 0 && <span className="muted">{savedViews.none}</span>}
      {forget.error !== null && <Failed error={forget.error} />}
      {asking && <Naming page={page} search={search} onClose={() => setAsking(false)} />}
    </nav>
  );
}

interface NamingProps {
  readonly page: SavedView["page"];
  readonly search: Search;
  readonly onClose: () => void;
}

function Naming({ page, search, onClose }: NamingProps) {
  const { savedViews } = useMessages();
  const client = useQueryClient();
  const [name, setName] = useState("");
  const save = useMutation({
    mutationFn: () => saveView({ page, name: name.trim(), search: { ...search } as Record<string, string> }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: savedViewKeys.of(page) });
      onClose();
    },
  });
  const wrong = fieldError(save.error, "name");
  return (
    <Dialog title={savedViews.save} open onClose={onClose}>
      <form
        className={styles["naming"]}
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <TextField
          label={savedViews.name}
          error={wrong}
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <div>
          <Button type="submit" look="primary" disabled={save.isPending || name.trim() === ""}>
            {savedViews.save}
          </Button>
        </div>
      </form>
      {save.error !== null && wrong === null && <Failed error={save.error} />}
    </Dialog>
  );
}

// What is open, and which snapshots of which branch one looks at: of one table at one time, a view is of any.
const OF_NOW: ReadonlySet<string> = new Set(["open", "at", "from", "branch"]);

/** What of the address a view is made of: filters, sort and what is drawn. */
function kept(search: Search): Search {
  return Object.fromEntries(
    Object.entries(search).filter(([name, value]) => !OF_NOW.has(name) && value !== undefined),
  );
}

function sorted(search: Search): [string, string | undefined][] {
  return Object.entries(search).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
