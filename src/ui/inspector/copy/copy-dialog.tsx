/* Shows an event as a command or code to copy, for the target that it names. It is safe to paste, regardless of the event's content. */

import { useMemo, useState } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import { Dialog, Field, Segmented } from '../../kit/controls.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { readDestination } from '../../kit/destination.ts';
import { visibleLine, visibleText } from '../../kit/format/visible.ts';
import { loadPreference, savePreference } from '../../kit/preferences.ts';
import { targetOf } from '../replay/request.ts';
import { curlCommand } from './curl.ts';
import { fetchCode } from './fetch.ts';
import { httpieCommand } from './httpie.ts';
import { endpointTarget, requestTo, sendableHeaders } from './request.ts';

const formats = [
  { id: 'curl', label: 'curl', build: curlCommand },
  { id: 'httpie', label: 'HTTPie', build: httpieCommand },
  { id: 'fetch', label: 'fetch', build: fetchCode },
] as const;
const maxShownChars = 20_000;

type TargetId = 'endpoint' | 'replay' | 'typed';
type CopyDialogProps = { event: EventDetail; endpointUrl: string; onClose: () => void };

export function CopyDialog({ event, endpointUrl, onClose }: CopyDialogProps) {
  const [formatId, setFormatId] = useState(loadPreference('copy-as') ?? 'curl');
  const [targetId, setTargetId] = useState<TargetId>('endpoint');
  const [typed, setTyped] = useState('');
  const replayed = event.replays[0]?.destination;
  const destination = readDestination(typed);
  const targets: Record<TargetId, string> = {
    endpoint: endpointTarget(event, endpointUrl),
    replay: replayed ?? '',
    typed: destination.url === '' ? '' : targetOf({ url: destination.url, appendPath: true }, event),
  };
  const url = targets[targetId];
  const format = formats.find(one => one.id === formatId) ?? formats[0];
  const text = useMemo(() => (url === '' ? '' : format.build(requestTo(event, url))), [format, event, url]);
  const { redacted } = sendableHeaders(event.rawHeaders);
  return (
    <Dialog title="Copy as" wide onClose={onClose}>
      <div class="panel-bar row tight rigid">
        <Segmented
          label="Send to"
          options={[
            { id: 'endpoint', label: 'Endpoint URL' },
            ...(replayed === undefined ? [] : [{ id: 'replay' as const, label: 'Last replay' }]),
            { id: 'typed', label: 'Another URL' },
          ]}
          value={targetId}
          onPick={setTargetId}
        />
      </div>
      {targetId === 'typed' && (
        <Field
          label="Another URL"
          type="text"
          inputMode="url"
          autoFocus
          autocomplete="off"
          spellcheck={false}
          placeholder="localhost:3000/webhooks"
          value={typed}
          onText={setTyped}
          problem={destination.problem}
          hint="The original path and query are appended."
        />
      )}
      <p class="replay-target soft breaks" role="status">
        {url === '' ? 'Type where the command sends to.' : <>Sends to {<code>{visibleLine(url)}</code>}</>}
      </p>
      <div class="panel-bar row tight rigid">
        <Segmented
          label="Format"
          options={formats.map(({ id, label }) => ({ id, label }))}
          value={format.id}
          onPick={id => {
            setFormatId(id);
            savePreference('copy-as', id);
          }}
        />
        <span class="grow" />
        {text !== '' && <CopyButton kind="primary" label="Copy" text={text} />}
      </div>
      {text !== '' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard.
        <pre class="code" tabIndex={0}>
          {visibleText(text.slice(0, maxShownChars))}
          {text.length > maxShownChars && '\n… truncated here; copying includes everything'}
        </pre>
      )}
      {redacted.length > 0 && (
        <p class="faint">Not included, because credentials aren't stored: {redacted.map(visibleLine).join(', ')}.</p>
      )}
    </Dialog>
  );
}
