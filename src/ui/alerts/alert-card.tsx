/* One alert in the list: its condition, its state, where it notifies and whether that works, and the buttons that change it. */

import { useState } from 'preact/hooks';
import type { Alert, AlertTest } from '../../features/alerts/model.ts';
import { filterQuery } from '../inspector/filter/filter-url.ts';
import { ActionButton } from '../kit/action.tsx';
import { Button, IconButton } from '../kit/controls.tsx';
import { confirm } from '../kit/dialogs.tsx';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { Time } from '../kit/time.tsx';
import { messageOf } from '../kit/toasts.tsx';
import { alertsApi } from './alerts-api.ts';
import {
  type Condition,
  channelTitles,
  conditionParts,
  type Explanation,
  eventsOf,
  failureOf,
  isReporting,
  stateOf,
  targetText,
  testText,
} from './wording.ts';

type AlertCardProps = {
  endpointId: string;
  alert: Alert;
  isNew: boolean;
  onEdit: () => void;
  onChanged: (alert: Alert) => void;
  onRemoved: () => void;
};

export function AlertCard({ endpointId, alert, isNew, onEdit, onChanged, onRemoved }: AlertCardProps) {
  const test = useTest(endpointId, alert);
  const name = visibleName(alert.name);
  const { enabled } = alert;
  const state = stateOf(alert);
  const toggle = async (): Promise<void> =>
    onChanged(await alertsApi.change(endpointId, alert.id, { enabled: !enabled }));
  const remove = () =>
    confirm({
      title: `Delete ${name}?`,
      text: 'It sends no further notifications, and the queued ones are dropped. To keep it for later, turn it off.',
      button: 'Delete',
      run: () => alertsApi.remove(endpointId, alert.id),
      onDone: onRemoved,
    });
  return (
    <article class={`card alert-card box col ${alert.firing ? 'firing' : ''}`} aria-label={name}>
      <header class="row baseline spread">
        <h2 class="breaks">{name}</h2>
        <span class="row baseline">
          <span class={`badge ${state.tone}`} title={state.hint}>
            {state.label}
          </span>
          {alert.firing && alert.changedAt !== null && (
            <span class="bad">
              since <Time at={alert.changedAt} long />
            </span>
          )}
        </span>
      </header>
      <p class="breaks">
        <ConditionSentence condition={alert} />
      </p>
      <AlertFacts endpointId={endpointId} alert={alert} />
      <div class="row">
        <ActionButton icon="send" class="alert-test" aria-label={`Test ${name}`} act={test.run}>
          Test
        </ActionButton>
        <Button class="alert-edit" aria-label={`Edit ${name}`} onClick={onEdit}>
          Edit
        </Button>
        <span class="grow" />
        <ActionButton
          kind="quiet"
          icon={enabled ? 'pause' : 'play'}
          aria-label={`Turn ${enabled ? 'off' : 'on'} ${name}`}
          act={toggle}
        >
          {enabled ? 'Turn off' : 'Turn on'}
        </ActionButton>
        <IconButton icon="trash" label={`Delete ${name}`} onClick={remove} />
      </div>
      <TestOutcome alert={alert} result={test.result} problem={test.problem} isNew={isNew} />
    </article>
  );
}

function AlertFacts({ endpointId, alert }: { endpointId: string; alert: Alert }) {
  const failure = failureOf(alert);
  const events = eventsOf(alert);
  return (
    <>
      <p class="alert-facts row faint breaks">
        <span>
          {channelTitles[alert.channel.type]} <code>{visibleLine(targetText(alert.channel))}</code>
        </span>
        <span>
          {alert.lastSentAt === null ? (
            'No notification yet'
          ) : (
            <>
              Last notification <Time at={alert.lastSentAt} long />
            </>
          )}
        </span>
        {events !== undefined && <Link to={`/app/endpoints/${endpointId}${filterQuery(events)}`}>Its events</Link>}
        {alert.kind === 'forward_stuck' && <Link to={`/app/endpoints/${endpointId}/destinations`}>Destinations</Link>}
      </p>
      {failure && (
        <p class="tint warn">
          <strong>{failure.lead}</strong> <Explained explanation={failure} />
          {failure.willRetry && ' It will be retried.'}
        </p>
      )}
    </>
  );
}

const Explained = ({ explanation: { text, setting } }: { explanation: Explanation }) => (
  <>
    {visibleLine(text)}
    {setting && (
      <>
        {' '}
        <code>{visibleLine(setting)}</code>.
      </>
    )}
  </>
);

function useTest(endpointId: string, { id }: Alert) {
  const [result, setResult] = useState<AlertTest>();
  const [problem, setProblem] = useState('');
  const run = async (): Promise<void> => {
    setResult(undefined);
    setProblem('');
    try {
      setResult(await alertsApi.test(endpointId, id));
    } catch (error) {
      setProblem(messageOf(error));
    }
  };
  return { result, problem, run };
}

type TestOutcomeProps = { alert: Alert; result: AlertTest | undefined; problem: string; isNew: boolean };

/** Always there, so that screen readers read what appears in it. */
function TestOutcome({ alert, result, problem, isNew }: TestOutcomeProps) {
  const isFailed = problem !== '' || result?.ok === false;
  return (
    <div class={`tint ${isFailed ? 'bad' : result ? 'good' : ''}`} role="status">
      {problem && (
        <p>
          <strong>Test not sent.</strong> {problem}
        </p>
      )}
      {result && (
        <p>
          <strong>{result.ok ? 'Test delivered.' : 'Test failed.'}</strong>{' '}
          <Explained explanation={testText(result, alert.channel)} />
        </p>
      )}
      {isNew && !result && !problem && <p>Saved. Press Test to check that notifications arrive.</p>}
    </div>
  );
}

export function ConditionSentence({ condition }: { condition: Condition }) {
  const [before, where, after] = conditionParts(condition);
  return (
    <>
      {isReporting(condition) ? 'Reports when' : 'Fires when'} {before}
      {where !== '' && (
        <>
          {' '}
          <code>{visibleLine(where)}</code>
        </>
      )}
      {after !== '' && ` ${after}`}.
    </>
  );
}
