/* The alerts of an endpoint: what they watch, how they stand, where they notify, and the form that makes and changes them. */

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { Alert } from '../../features/alerts/model.ts';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { Button, Dialog, Empty, Notice, Skeleton } from '../kit/controls.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { visibleName } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { EndpointNotFoundPage } from '../kit/not-found.tsx';
import { useStyle } from '../kit/on-demand-style.ts';
import { usePolled } from '../kit/use-polled.ts';
import { useTitle } from '../kit/use-title.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import style from '../styles/alerts.css' with { type: 'file' };
import { AlertCard } from './alert-card.tsx';
import { AlertForm, hasUnsaved } from './alert-form.tsx';
import { alertsApi } from './alerts-api.ts';
import { type Kind, kinds } from './wording.ts';

const everyMs = 5000;

/** @param kind of a new alert whose form is open */
export function AlertsPage({ endpointId, kind }: { endpointId: string; kind: string | null }) {
  const { endpoints } = useWorkspace();
  const isStyled = useStyle(style);
  const endpoint = endpoints?.find(one => one.id === endpointId);
  useTitle(endpoint ? `${visibleName(endpoint.name)}, alerts` : 'Alerts');
  if (endpoints && !endpoint) return <EndpointNotFoundPage />;
  return (
    <main class="page narrow alerts">
      <header class="page-head">
        <div>
          <Link to={`/app/endpoints/${endpointId}/settings`} class="crumb">
            ← Settings of {visibleName(endpoint?.name ?? 'the endpoint')}
          </Link>
          <h1>Alerts</h1>
        </div>
      </header>
      {endpoint && isStyled ? (
        <Alerts endpoint={endpoint} kind={kinds.find(({ id }) => id === kind)?.id} />
      ) : (
        <Skeleton rows={3} kind="card" />
      )}
    </main>
  );
}

/** What is open: the form of a new alert, or of one in the list. */
type Open = { kind: Kind } | { id: string } | undefined;

function Alerts({ endpoint, kind }: { endpoint: Endpoint; kind: Kind | undefined }) {
  const { reloadEndpoints } = useWorkspace();
  const query = usePolled(
    endpoint.id,
    () => alertsApi.list(endpoint.id),
    () => true,
    () => everyMs,
  );
  const { value, problem, set, reload } = query;
  const [open, setOpen] = useUnsaved(endpoint.id, value?.alerts, kind);
  /** Just made: a test is due. */
  const [madeId, setMadeId] = useState('');
  const [shown, setShown] = useState<{ secret: string; from: string }>();
  const { body, focusLater } = useFocusLater();
  if (!value)
    return problem ? (
      <Empty title="Couldn't load the alerts" action={<Button onClick={reload}>Try again</Button>}>
        {problem}
      </Empty>
    ) : (
      <Skeleton rows={3} kind="card" />
    );
  const show = (alerts: readonly Alert[]): void => {
    set({ ...value, alerts: [...alerts] });
    // An answer that is under way may be older.
    reload();
    reloadEndpoints();
  };
  const replace = (changed: Alert): void =>
    show(value.alerts.map(one => (one.id === changed.id ? withoutSecret(changed) : one)));
  const saved = (alert: Alert): void => {
    const isNew = !value.alerts.some(one => one.id === alert.id);
    if (isNew) show([...value.alerts, withoutSecret(alert)]);
    else replace(alert);
    if (isNew) setMadeId(alert.id);
    const from = `[data-alert="${alert.id}"] .${isNew ? 'alert-test' : 'alert-edit'}`;
    if (alert.channel.secret !== null) setShown({ secret: alert.channel.secret, from });
    setOpen(undefined);
    focusLater(from);
  };
  const close = (): void => {
    const from = open && 'id' in open ? `[data-alert="${open.id}"] .alert-edit` : '.alert-new';
    setOpen(undefined);
    focusLater(from);
  };
  const form = { endpointId: endpoint.id, canEmail: value.canEmail, onSaved: saved, onCancel: close };
  const isAdding = open !== undefined && 'kind' in open;
  return (
    <div class="alerts-body" ref={body}>
      {value.alerts.length > 0 && (
        <Lead isPaused={endpoint.paused} onNew={isAdding ? undefined : () => setOpen({ kind: 'silence' })} />
      )}
      {problem && <Notice tone="warn">{problem}</Notice>}
      <ul class="alert-list">
        {value.alerts.map(alert => (
          <li key={alert.id} data-alert={alert.id}>
            {open && 'id' in open && open.id === alert.id ? (
              <AlertForm {...form} alert={alert} />
            ) : (
              <AlertCard
                endpointId={endpoint.id}
                alert={alert}
                isNew={alert.id === madeId}
                onEdit={() => setOpen({ id: alert.id })}
                onChanged={replace}
                onRemoved={() => {
                  show(value.alerts.filter(one => one.id !== alert.id));
                  focusLater('.alert-new');
                }}
              />
            )}
          </li>
        ))}
      </ul>
      {isAdding && <AlertForm key={open.kind} {...form} kind={open.kind} />}
      {value.alerts.length === 0 && !isAdding && <Start onPick={kind => setOpen({ kind })} />}
      {shown && (
        <SecretDialog
          secret={shown.secret}
          onClose={() => {
            setShown(undefined);
            focusLater(shown.from);
          }}
        />
      )}
    </div>
  );
}

const withoutSecret = (alert: Alert): Alert => ({ ...alert, channel: { ...alert.channel, secret: null } });

/** Forms with unsaved changes of an earlier visit are open at first. */
function useUnsaved(endpointId: string, alerts: readonly Alert[] | undefined, kind: Kind | undefined) {
  const [open, setOpen] = useState<Open>(() =>
    kind || hasUnsaved(endpointId) ? { kind: kind ?? 'silence' } : undefined,
  );
  const isLoaded = alerts !== undefined;
  useEffect(() => {
    const changed = alerts?.find(({ id }) => hasUnsaved(endpointId, id));
    if (changed) setOpen(old => old ?? { id: changed.id });
  }, [isLoaded]);
  return [open, setOpen] as const;
}

/** Puts the focus on an element of the page that is about to be rendered. */
function useFocusLater() {
  const body = useRef<HTMLDivElement>(null);
  const [wanted, setWanted] = useState('');
  useEffect(() => {
    if (wanted === '') return;
    setWanted('');
    // A dialog that has just opened or closes now has its own.
    if (document.querySelector('dialog[open]')) return;
    body.current?.querySelector<HTMLElement>(wanted)?.focus();
  }, [wanted]);
  return { body, focusLater: useCallback((selector: string) => setWanted(selector), []) };
}

const Lead = ({ isPaused, onNew }: { isPaused: boolean; onNew: (() => void) | undefined }) => (
  <>
    <div class="alerts-lead">
      <p class="lead">
        An alert tells somebody once when its condition begins, and again when it ends. Your team shares the alerts.
      </p>
      {onNew && (
        <Button kind="primary" icon="plus" class="alert-new" onClick={onNew}>
          New alert
        </Button>
      )}
    </div>
    {isPaused && (
      <Notice tone="warn" title="This endpoint is paused">
        The time of the pause doesn't count as silence.
      </Notice>
    )}
  </>
);

/** The page without alerts. */
function Start({ onPick }: { onPick: (kind: Kind) => void }) {
  return (
    <>
      <section class="card alerts-start">
        <Empty
          title="Know when webhooks stop coming"
          action={
            <Button kind="primary" icon="plus" class="alert-new" onClick={() => onPick('silence')}>
              Alert me to silence
            </Button>
          }
        >
          An alert watches this endpoint and tells your team in Slack, Discord, ntfy, by email or through a webhook. It
          tells you once when something is wrong, and again when it's over.
        </Empty>
      </section>
      <section class="card section" aria-labelledby="other-kinds">
        <h2 id="other-kinds">Other things to watch</h2>
        <ul class="rows">
          {kinds
            .filter(({ id }) => id !== 'silence')
            .map(({ id, title, sentence }) => (
              <li key={id}>
                <span class="stack grow">
                  <strong>{title}</strong>
                  <span class="faint">{sentence}</span>
                </span>
                <Button aria-label={`Add the alert ${title}`} onClick={() => onPick(id)}>
                  Add
                </Button>
              </li>
            ))}
        </ul>
      </section>
    </>
  );
}

const SecretDialog = ({ secret, onClose }: { secret: string; onClose: () => void }) => (
  <Dialog title="Save the signing secret" wide isPersistent onClose={onClose}>
    <p>
      Your receiver verifies notifications with it, with any library for Standard Webhooks. Copy it now: it's stored
      encrypted, and you won't see it again.
    </p>
    <div class="address large">
      <code>{secret}</code>
      <CopyButton kind="primary" label="Copy" text={secret} />
    </div>
    <div class="dialog-actions">
      <Button onClick={onClose}>I've saved it</Button>
    </div>
  </Dialog>
);
