/* The alerts of an endpoint: what they watch, their states, where they notify, and the form that makes and changes them. */

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Alert, AlertList } from '../../features/alerts/model.ts';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { Button, Empty, Notice } from '../kit/controls.tsx';
import { showSecretOnce } from '../kit/dialogs.tsx';
import { navigate } from '../kit/navigation.tsx';
import { Card, Loaded, Page, Row, WithEndpoint } from '../kit/page.tsx';
import type { Query } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { AlertCard } from './alert-card.tsx';
import { AlertForm, hasUnsaved } from './alert-form.tsx';
import { useAlerts } from './alert-marks.tsx';
import { type Kind, kinds } from './wording.ts';

const everyMs = 5000;

/** @param kind of a new alert whose form is open */
export function AlertsPage({ endpointId, kind }: { endpointId: string; kind: string | null }) {
  const query = useAlerts(endpointId, everyMs);
  return (
    <WithEndpoint id={endpointId}>
      {endpoint => (
        <Page isNarrow class="alerts" title="Alerts" of={endpoint.name}>
          <Loaded query={query} what="the alerts">
            {list => (
              <Alerts endpoint={endpoint} list={list} query={query} kind={kinds.find(({ id }) => id === kind)?.id} />
            )}
          </Loaded>
        </Page>
      )}
    </WithEndpoint>
  );
}

/** What is open: the form of a new alert, or of one in the list. */
type Open = { kind: Kind } | { id: string } | undefined;

type AlertsProps = { endpoint: Endpoint; list: AlertList; query: Query<AlertList>; kind: Kind | undefined };

function Alerts({ endpoint, list, query: { set, reload }, kind }: AlertsProps) {
  const { reloadEndpoints } = useWorkspace();
  const { alerts } = list;
  const [open, setOpen] = useUnsaved(endpoint.id, alerts);
  useLayoutEffect(() => {
    if (!kind) return;
    setOpen({ kind });
    // So that the same address can ask for a form again.
    navigate(`/app/endpoints/${endpoint.id}/alerts`, { replace: true });
  }, [kind]);
  /** Just made: a test is due. */
  const [madeId, setMadeId] = useState('');
  const { body, focusLater } = useFocusLater();
  const show = (changed: readonly Alert[]): void => {
    set({ ...list, alerts: [...changed] });
    // An answer that is under way may be older.
    reload();
    reloadEndpoints();
  };
  const replace = (changed: Alert): void =>
    show(alerts.map(one => (one.id === changed.id ? withoutSecret(changed) : one)));
  const saved = (alert: Alert): void => {
    const isNew = !alerts.some(one => one.id === alert.id);
    if (isNew) show([...alerts, withoutSecret(alert)]);
    else replace(alert);
    if (isNew) setMadeId(alert.id);
    const from = `[data-alert="${alert.id}"] .${isNew ? 'alert-test' : 'alert-edit'}`;
    setOpen(undefined);
    focusLater(from);
    if (alert.channel.secret !== null) void showSecret(alert.channel.secret).then(() => focusLater(from));
  };
  const close = (): void => {
    const from = open && 'id' in open ? `[data-alert="${open.id}"] .alert-edit` : '.alert-new';
    setOpen(undefined);
    focusLater(from);
  };
  const form = { endpointId: endpoint.id, canEmail: list.canEmail, onSaved: saved, onCancel: close };
  const isAdding = open !== undefined && 'kind' in open;
  return (
    <div class="col loose" ref={body}>
      {alerts.length > 0 && (
        <Lead isPaused={endpoint.paused} onNew={isAdding ? undefined : () => setOpen({ kind: 'silence' })} />
      )}
      <ul class="col loose">
        {alerts.map(alert => (
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
                  show(alerts.filter(one => one.id !== alert.id));
                  focusLater('.alert-new');
                }}
              />
            )}
          </li>
        ))}
      </ul>
      {isAdding && <AlertForm key={open.kind} {...form} kind={open.kind} />}
      {alerts.length === 0 && !isAdding && <Start onPick={kind => setOpen({ kind })} />}
    </div>
  );
}

const withoutSecret = (alert: Alert): Alert => ({ ...alert, channel: { ...alert.channel, secret: null } });

/** Forms with unsaved changes of an earlier visit are open at first. */
function useUnsaved(endpointId: string, alerts: readonly Alert[]) {
  return useState<Open>(() => {
    if (hasUnsaved(endpointId)) return { kind: 'silence' };
    const changed = alerts.find(({ id }) => hasUnsaved(endpointId, id));
    return changed && { id: changed.id };
  });
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
  return { body, focusLater: setWanted };
}

const Lead = ({ isPaused, onNew }: { isPaused: boolean; onNew: (() => void) | undefined }) => (
  <>
    <div class="page-head line loose spread">
      <p class="lead">
        An alert sends one notification when its condition starts and one when it ends. Alerts belong to the whole team.
      </p>
      {onNew && (
        <Button kind="primary" icon="plus" class="alert-new" onClick={onNew}>
          New alert
        </Button>
      )}
    </div>
    {isPaused && (
      <Notice tone="warn" title="This endpoint is paused">
        Time while paused doesn't count as silence.
      </Notice>
    )}
  </>
);

function Start({ onPick }: { onPick: (kind: Kind) => void }) {
  return (
    <>
      <section class="card">
        <Empty
          title="Know when webhooks stop arriving"
          action={
            <Button kind="primary" icon="plus" class="alert-new" onClick={() => onPick('silence')}>
              Alert me when it goes silent
            </Button>
          }
        >
          An alert watches this endpoint and notifies your team in Slack, Discord, ntfy, by email or by webhook: once
          when something is wrong, and once when it's over.
        </Empty>
      </section>
      <Card title="Other alerts">
        <ul class="rows">
          {kinds
            .filter(({ id }) => id !== 'silence')
            .map(({ id, title, sentence }) => (
              <Row key={id} name={title} about={sentence}>
                <Button aria-label={`Add the alert ${title}`} onClick={() => onPick(id)}>
                  Add
                </Button>
              </Row>
            ))}
        </ul>
      </Card>
    </>
  );
}

const showSecret = (secret: string): Promise<void> =>
  showSecretOnce({
    title: 'Save the signing secret',
    text: 'Your receiver verifies notifications with this secret and any Standard Webhooks library. Copy it now: it is stored encrypted and not shown again.',
    secret,
    button: "I've saved it",
  });
