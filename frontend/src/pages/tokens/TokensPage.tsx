import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { accessKeys, createToken, revokeToken, tokensQuery, type Token } from "../../api/access";
import { fieldError } from "../../api/problem";
import { meQuery, type Permission } from "../../api/session";
import { Answer, Failed } from "../../app/Answer";
import { useColumnMakers } from "../../app/columns";
import { Page } from "../../app/Page";
import { useMessages } from "../../i18n";
import { Button } from "../../ui/Button";
import { CopyableId } from "../../ui/CopyableId";
import { DataGrid } from "../../ui/DataGrid";
import { Dialog } from "../../ui/Dialog";
import { Checkbox, TextField } from "../../ui/Field";
import { Empty, Notice } from "../../ui/States";

/** API tokens for scripts: one's own, or everyone's for an administrator. */
export function TokensPage(): ReactNode {
  const { tokens, admin, fields } = useMessages();
  const make = useColumnMakers();
  const client = useQueryClient();
  const answer = useInfiniteQuery(tokensQuery);
  const [adding, setAdding] = useState(false);
  const revoke = useMutation({
    mutationFn: revokeToken,
    onSuccess: () => client.invalidateQueries({ queryKey: accessKeys.tokens }),
  });
  const columns = [
    make.text<Token>("name", fields.name, (t) => t.name),
    make.text<Token>("prefix", tokens.prefix, (t) => `${t.prefix}…`, {
      cell: (t) => <code>{t.prefix}…</code>,
    }),
    make.text<Token>("scopes", tokens.scopes, (t) => t.scopes.join(", "), { width: 240, grow: 3 }),
    make.text<Token>("owner", tokens.owner, (t) => t.owner),
    make.time<Token>("created_at", fields.created, (t) => t.created_at),
    make.time<Token>("expires_at", tokens.expires, (t) => t.expires_at),
    make.time<Token>("last_used_at", tokens.lastUsed, (t) => t.last_used_at),
    make.text<Token>("actions", tokens.actions, () => "", {
      width: 110,
      grow: 0,
      cell: (t) => (
        <Button look="quiet" disabled={revoke.isPending} onClick={() => revoke.mutate(t.id)}>
          {tokens.revoke}
        </Button>
      ),
    }),
  ];
  return (
    <Page
      title={admin.tokens}
      actions={
        <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
          {tokens.create}
        </Button>
      }
    >
      <Answer query={answer}>
        {({ pages }) => {
          const rows = pages.flatMap((page) => page.items);
          return rows.length === 0 ? (
            <Empty title={tokens.none}>{tokens.noneDetail}</Empty>
          ) : (
            <DataGrid label={admin.tokens} columns={columns} rows={rows} rowKey={(t) => t.id} />
          );
        }}
      </Answer>
      {revoke.error !== null && <Failed error={revoke.error} />}
      {adding && <Create onClose={() => setAdding(false)} />}
    </Page>
  );
}

const DAY_MILLIS = 86_400_000;

function Create({ onClose }: { onClose: () => void }) {
  const { tokens, fields, ui } = useMessages();
  const client = useQueryClient();
  const { data: me } = useQuery(meQuery);
  const [name, setName] = useState("");
  const [days, setDays] = useState("90");
  const [scopes, setScopes] = useState<ReadonlySet<Permission>>(new Set(["meta:read"]));
  const add = useMutation({
    mutationFn: () =>
      createToken({
        name: name.trim(),
        scopes: [...scopes],
        expires_at: new Date(Date.now() + Number(days) * DAY_MILLIS).toISOString(),
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: accessKeys.tokens }),
  });
  const toggle = (permission: Permission, on: boolean) =>
    setScopes(new Set(on ? [...scopes, permission] : [...scopes].filter((other) => other !== permission)));
  const valid = name.trim() !== "" && scopes.size > 0 && Number(days) >= 1 && Number(days) <= 365;
  return (
    <Dialog
      title={tokens.create}
      open
      onClose={onClose}
      actions={
        add.data === undefined ? (
          <>
            <Button onClick={onClose}>{ui.cancel}</Button>
            <Button look="primary" disabled={!valid || add.isPending} onClick={() => add.mutate()}>
              {tokens.create}
            </Button>
          </>
        ) : (
          <Button onClick={onClose}>{ui.close}</Button>
        )
      }
    >
      {add.data === undefined ? (
        <>
          <TextField
            label={fields.name}
            value={name}
            error={fieldError(add.error, "name")}
            onChange={(event) => setName(event.target.value)}
          />
          <TextField
            label={tokens.days}
            hint={tokens.daysHint}
            type="number"
            min={1}
            max={365}
            value={days}
            error={fieldError(add.error, "expires_at")}
            onChange={(event) => setDays(event.target.value)}
          />
          <fieldset style={{ border: 0, padding: 0, margin: 0, display: "grid", gap: 6 }}>
            <legend>{tokens.scopes}</legend>
            {me?.permissions_anywhere.map((permission) => (
              <Checkbox
                key={permission}
                label={<code>{permission}</code>}
                checked={scopes.has(permission)}
                onChange={(on) => toggle(permission, on)}
              />
            ))}
          </fieldset>
          {add.error !== null && <Failed error={add.error} />}
        </>
      ) : (
        <>
          <Notice tone="ok">{tokens.shownOnce}</Notice>
          <CopyableId value={add.data.token} most={64} />
        </>
      )}
    </Dialog>
  );
}
