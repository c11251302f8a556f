import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import {
  accessKeys,
  bindingsQuery,
  createBinding,
  createUser,
  removeBinding,
  setUserActive,
  usersQuery,
  type NewUser,
  type RoleBinding,
  type User,
} from "../../api/access";
import { fieldError } from "../../api/problem";
import { Failed } from "../../app/Answer";
import { useColumnMakers } from "../../app/columns";
import { Page } from "../../app/Page";
import { usePages } from "../../app/usePages";
import { useMessages } from "../../i18n";
import { Badge } from "../../ui/Badge";
import { Button } from "../../ui/Button";
import { CopyableId } from "../../ui/CopyableId";
import { Dialog } from "../../ui/Dialog";
import { Checkbox, SelectField, TextField } from "../../ui/Field";
import { Notice } from "../../ui/States";
import { Timestamp } from "../../ui/Timestamp";
import { ListCard } from "./ListCard";
import { MaskingPolicies } from "./MaskingPolicies";
import { toScope } from "./scope";

/** People, and which role each has where. */
export function AccessPage(): ReactNode {
  const { admin } = useMessages();
  return (
    <Page title={admin.access}>
      <Users />
      <Bindings />
      <MaskingPolicies />
    </Page>
  );
}

function Users() {
  const { access, fields, ui } = useMessages();
  const make = useColumnMakers();
  const client = useQueryClient();
  const [adding, setAdding] = useState(false);
  const activate = useMutation({
    mutationFn: ({ user, active }: { user: number; active: boolean }) => setUserActive(user, active),
    onSuccess: () => client.invalidateQueries({ queryKey: accessKeys.users }),
  });
  const columns = [
    make.text<User>("username", fields.user, (u) => u.username),
    make.text<User>("display_name", fields.name, (u) => u.display_name),
    make.text<User>(
      "roles",
      access.roles,
      (u) => u.role_bindings.map((b) => access.bindingText(b.role, b.scope_text)).join(", "),
      {
        width: 220,
        grow: 2,
      },
    ),
    make.text<User>("has_password", access.password, (u) => (u.has_password ? ui.yes : access.notYet)),
    make.time<User>("last_login_at", access.lastLogin, (u) => u.last_login_at),
    make.text<User>("is_active", fields.state, (u) => String(u.is_active), {
      cell: (u) =>
        u.is_active ? <Badge tone="ok">{access.active}</Badge> : <Badge>{access.inactive}</Badge>,
    }),
    make.text<User>("actions", access.actions, () => "", {
      width: 130,
      grow: 0,
      cell: (u) => (
        <Button
          look="quiet"
          disabled={activate.isPending}
          onClick={() => activate.mutate({ user: u.id, active: !u.is_active })}
        >
          {u.is_active ? access.deactivate : access.activate}
        </Button>
      ),
    }),
  ];
  return (
    <ListCard
      title={access.people}
      query={usersQuery}
      columns={columns}
      rowKey={(u) => String(u.id)}
      add={{ label: access.addPerson, onClick: () => setAdding(true) }}
    >
      {activate.error !== null && <Failed error={activate.error} />}
      <AddUser open={adding} onClose={() => setAdding(false)} />
    </ListCard>
  );
}

function AddUser({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { access, fields, ui } = useMessages();
  const client = useQueryClient();
  const [username, setUsername] = useState("");
  const [name, setName] = useState("");
  const add = useMutation({
    mutationFn: () => createUser({ username: username.trim(), display_name: name.trim() }),
    onSuccess: () => client.invalidateQueries({ queryKey: accessKeys.users }),
  });
  const close = () => {
    add.reset();
    setUsername("");
    setName("");
    onClose();
  };
  return (
    <Dialog
      title={access.addPerson}
      open={open}
      onClose={close}
      actions={
        add.data === undefined ? (
          <>
            <Button onClick={close}>{ui.cancel}</Button>
            <Button
              look="primary"
              disabled={username.trim() === "" || add.isPending}
              onClick={() => add.mutate()}
            >
              {access.addPerson}
            </Button>
          </>
        ) : (
          <Button onClick={close}>{ui.close}</Button>
        )
      }
    >
      {add.data === undefined ? (
        <>
          <TextField
            label={fields.user}
            value={username}
            error={fieldError(add.error, "username")}
            onChange={(event) => setUsername(event.target.value)}
          />
          <TextField label={fields.name} value={name} onChange={(event) => setName(event.target.value)} />
          {add.error !== null && <Failed error={add.error} />}
        </>
      ) : (
        <SetUpLink user={add.data} />
      )}
    </Dialog>
  );
}

function SetUpLink({ user }: { user: NewUser }) {
  const { access } = useMessages();
  return (
    <>
      <Notice tone="ok">{access.linkOnce(user.username)}</Notice>
      <CopyableId value={new URL(user.set_up_link, location.origin).href} most={400} />
      <p className="muted">
        {access.linkUntil} <Timestamp value={user.set_up_link_expires_at} exact />
      </p>
    </>
  );
}

function Bindings() {
  const { access, fields } = useMessages();
  const make = useColumnMakers();
  const client = useQueryClient();
  const [adding, setAdding] = useState(false);
  const remove = useMutation({
    mutationFn: removeBinding,
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: accessKeys.bindings });
      void client.invalidateQueries({ queryKey: accessKeys.users });
    },
  });
  const columns = [
    make.text<RoleBinding>("user", fields.user, (b) => b.user),
    make.text<RoleBinding>("role", fields.role, (b) => access.roleNames[b.role]),
    make.text<RoleBinding>(
      "scope",
      fields.scope,
      (b) => (b.scope_text === "*" ? access.everything : b.scope_text),
      { grow: 2 },
    ),
    make.text<RoleBinding>("flags", access.extra, (b) =>
      [b.data_read && "data:read", b.data_unmasked && "data:unmasked", b.table_destroy && "table:destroy"]
        .filter(Boolean)
        .join(", "),
    ),
    make.time<RoleBinding>("created_at", fields.created, (b) => b.created_at),
    make.text<RoleBinding>("created_by", access.grantedBy, (b) => b.created_by),
    make.text<RoleBinding>("actions", access.actions, () => "", {
      width: 110,
      grow: 0,
      cell: (b) => (
        <Button look="quiet" disabled={remove.isPending} onClick={() => remove.mutate(b.id)}>
          {access.revoke}
        </Button>
      ),
    }),
  ];
  return (
    <ListCard
      title={access.bindings}
      query={bindingsQuery}
      columns={columns}
      rowKey={(b) => String(b.id)}
      add={{ label: access.grant, onClick: () => setAdding(true) }}
    >
      {remove.error !== null && <Failed error={remove.error} />}
      {adding && <Grant onClose={() => setAdding(false)} />}
    </ListCard>
  );
}

const ROLES = ["viewer", "operator", "admin"] as const;

function Grant({ onClose }: { onClose: () => void }) {
  const { access, fields, ui } = useMessages();
  const client = useQueryClient();
  const { rows: users, onEnd } = usePages(usersQuery);
  useEffect(onEnd, [onEnd]); // one page after the other: somebody may be on the last
  const [user, setUser] = useState("");
  const [role, setRole] = useState<(typeof ROLES)[number]>("viewer");
  const [scope, setScope] = useState("*");
  const [dataRead, setDataRead] = useState(false);
  const [unmasked, setUnmasked] = useState(false);
  const mayReadRows = role !== "viewer" || dataRead; // masked or not: who may not read them sees none
  const [destroy, setDestroy] = useState(false);
  const add = useMutation({
    mutationFn: () =>
      createBinding({
        user,
        role,
        scope: toScope(scope),
        data_read: role === "viewer" && dataRead,
        data_unmasked: mayReadRows && unmasked,
        table_destroy: role === "operator" && destroy,
      }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: accessKeys.bindings });
      void client.invalidateQueries({ queryKey: accessKeys.users });
      onClose();
    },
  });
  return (
    <Dialog
      title={access.grant}
      open
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button look="primary" disabled={user === "" || add.isPending} onClick={() => add.mutate()}>
            {access.grant}
          </Button>
        </>
      }
    >
      <SelectField
        label={fields.user}
        value={user}
        error={fieldError(add.error, "user")}
        options={[["", "…"], ...users.map((u) => [u.username, u.username] as const)]}
        onChange={setUser}
      />
      <SelectField
        label={access.role}
        hint={access.roleHints[role]}
        value={role}
        options={ROLES.map((id) => [id, access.roleNames[id]] as const)}
        onChange={(value) => setRole(ROLES.find((id) => id === value) ?? "viewer")}
      />
      <TextField
        label={access.scope}
        hint={access.scopeHint}
        value={scope}
        error={fieldError(add.error, "scope")}
        onChange={(event) => setScope(event.target.value)}
      />
      {role === "viewer" && <Checkbox label={access.mayRead} checked={dataRead} onChange={setDataRead} />}
      {mayReadRows && <Checkbox label={access.maySeeUnmasked} checked={unmasked} onChange={setUnmasked} />}
      {role === "operator" && <Checkbox label={access.mayDestroy} checked={destroy} onChange={setDestroy} />}
      {add.error !== null && <Failed error={add.error} />}
    </Dialog>
  );
}
