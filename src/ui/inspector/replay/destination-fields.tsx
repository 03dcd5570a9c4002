/* Where a replay goes: to a URL, or to a listener that is connected. */

import { useEffect, useRef } from 'preact/hooks';
import type { Listener } from '../../../features/listeners/model.ts';
import { api } from '../../kit/api.ts';
import { Checkbox, Field } from '../../kit/controls.tsx';
import { visibleLine, visibleName } from '../../kit/format/visible.ts';
import { usePolled } from '../../kit/use-query.ts';
import { lastListener, listDestinations } from './replay-destinations.ts';
import type { ReplayDraft } from './use-draft.ts';

const listenersEveryMs = 3000;

type DestinationFieldsProps = {
  endpointId: string;
  draft: ReplayDraft;
  /** The dialog was opened for a URL. */
  hasUrl: boolean;
};

export function DestinationFields({ endpointId, draft, hasUrl }: DestinationFieldsProps) {
  const listeners = usePolled(
    endpointId,
    () => api.listeners(endpointId),
    () => true,
    () => listenersEveryMs,
  ).value;
  const isFirst = useRef(true);
  useEffect(() => {
    if (!listeners || !isFirst.current) return;
    isFirst.current = false;
    const last = lastListener(endpointId);
    if (!hasUrl && draft.isUntouched && listeners.some(({ name }) => name === last)) draft.setListener(last);
  }, [listeners]);
  return (
    <>
      <Receivers listeners={listeners ?? []} draft={draft} />
      {draft.listener === undefined && <UrlFields endpointId={endpointId} draft={draft} />}
    </>
  );
}

/** Without listeners there is no choice. A chosen listener stays chosen when it disconnects. */
function Receivers({ listeners, draft }: { listeners: readonly Listener[]; draft: ReplayDraft }) {
  const { listener, setListener } = draft;
  const chosen = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The field of the URL had the focus, and is gone.
    if (document.activeElement === document.body) chosen.current?.focus();
  }, [listener]);
  if (listeners.length === 0 && listener === undefined) return null;
  const isGone = listener !== undefined && !listeners.some(({ name }) => name === listener);
  return (
    <fieldset class="col tight">
      <legend>Send to</legend>
      <label class="checkbox row tight">
        <input type="radio" name="receiver" checked={listener === undefined} onChange={() => setListener(undefined)} />
        <span>A URL</span>
        <span class="faint">sent by this server</span>
      </label>
      {listeners.map(({ name, targets, connectedBy, connections }) => (
        <label key={name} class="checkbox row tight">
          <input
            ref={listener === name ? chosen : null}
            type="radio"
            name="receiver"
            checked={listener === name}
            onChange={() => setListener(name)}
          />
          <code>{visibleLine(name)}</code>
          <span class="faint">
            {[
              ...targets.map(visibleLine),
              visibleName(connectedBy),
              ...(connections > 1 ? [`${connections} of this name`] : []),
            ].join(' · ')}
          </span>
        </label>
      ))}
      {isGone && (
        <label class="checkbox row tight">
          <input type="radio" name="receiver" checked onChange={() => {}} />
          <code>{visibleLine(listener)}</code>
          <span class="bad">disconnected</span>
        </label>
      )}
    </fieldset>
  );
}

const UrlFields = ({ endpointId, draft }: { endpointId: string; draft: ReplayDraft }) => (
  <>
    <Field
      label="Destination"
      type="text"
      inputMode="url"
      list="destinations"
      placeholder="localhost:3000/webhooks"
      required
      autoFocus
      onFocus={event => event.currentTarget.select()}
      autocomplete="off"
      spellcheck={false}
      value={draft.typed}
      onText={draft.setTyped}
      problem={draft.destination.problem}
    />
    <datalist id="destinations">
      {listDestinations(endpointId).map(one => (
        <option key={one.url} value={one.url} />
      ))}
    </datalist>
    <Checkbox
      label="Append original path and query"
      hint="The path and query after the endpoint's URL are appended to the destination."
      checked={draft.appendPath}
      onChange={draft.setAppendPath}
    />
  </>
);
