/* The fields of the request that a forward sends, with a preview of it for stored events while it is edited. */

import { useState } from 'preact/hooks';
import type { ForwardPreview, ForwardPreviewRequest } from '../../features/forwards/model.ts';
import { type ForwardPreset, forwardPresets } from '../../shared/forward-presets.ts';
import { PlatformMark } from '../inspector/event/badges.tsx';
import { titleOf } from '../inspector/list/row-text.ts';
import { teamPlaceholders } from '../inspector/placeholders.ts';
import { Code, Notice, SelectField, Skeleton } from '../kit/controls.tsx';
import { type FormOf, Inputs } from '../kit/form.tsx';
import { visibleText } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { problemsOf } from '../kit/schema.ts';
import { TemplateField } from '../kit/template-field.tsx';
import { Time } from '../kit/time.tsx';
import { messageOf } from '../kit/toasts.tsx';
import { useLivePreview } from '../kit/use-live-preview.ts';
import { forwardRules, withPreset } from './forward-schema.ts';
import { forwardsApi } from './forwards-api.ts';

type Props = { endpointId: string; form: FormOf<typeof forwardRules.schema> };

export function RequestFields({ endpointId, form }: Props) {
  const [preset, setPreset] = useState<ForwardPreset>();
  const isOwn = form.draft.request === 'own';
  const pick = (id: string): void => {
    const picked = forwardPresets.find(one => one.id === id);
    setPreset(picked);
    if (picked) form.change(withPreset(form.draft, picked));
  };
  return (
    <>
      <Inputs
        form={form}
        paths={['request']}
        texts={{ request: { hint: isOwn ? undefined : 'With its original method, headers and exact body.' } }}
      />
      {isOwn && (
        <fieldset class="box col">
          <legend>Template</legend>
          <SelectField
            label="Start from"
            options={[{ id: '', label: 'Your own' }, ...forwardPresets.map(({ id, name }) => ({ id, label: name }))]}
            value={preset?.id ?? ''}
            onPick={pick}
          />
          {preset && (
            <ul class="hint needs">
              {preset.needs.map(need => (
                <li key={need}>{need}</li>
              ))}
            </ul>
          )}
          <div class="request-head">
            <Inputs form={form} paths={['request.method', 'request.contentType']} />
          </div>
          <Inputs form={form} paths={['headers']} />
          <p class="hint">No header of the sender is sent. Put tokens into headers, not into the body.</p>
          <TemplateField
            label="Body"
            input={form.input('request.body')}
            rows={10}
            placeholder="empty"
            hint="Placeholders are replaced once; a missing value becomes empty. Values are escaped if the content type is JSON or a URL-encoded form."
            placeholders={teamPlaceholders(undefined)}
          />
          <Preview endpointId={endpointId} form={form} />
        </fieldset>
      )}
    </>
  );
}

const previewed = ['where', 'request.contentType', 'request.body'] as const;

/** The last preview stays while the template has a problem. */
function Preview({ endpointId, form: { draft } }: Props) {
  const problems = problemsOf(forwardRules, draft);
  const isHeld = previewed.some(path => problems[path] !== undefined);
  const { where, 'request.contentType': contentType, 'request.body': body } = draft;
  const asked: ForwardPreviewRequest = {
    request: { contentType: contentType.trim(), body },
    ...(where.trim() !== '' && { where }),
  };
  const { value, refusal, problem } = useLivePreview(
    isHeld ? undefined : JSON.stringify(asked),
    (text, signal) => forwardsApi.preview(endpointId, JSON.parse(text), signal),
    messageOf,
  );
  const failure = refusal ?? problem;
  return (
    <section class="request-preview col tight" aria-label="Preview">
      <h2>Preview</h2>
      {isHeld && <Notice tone="warn">Fix the marked fields to update this preview.</Notice>}
      {failure && <Notice tone="bad">{failure}</Notice>}
      {!value && !failure && !isHeld && <Skeleton rows={3} />}
      {value?.events.length === 0 && <p class="faint">No event matches yet. The newest five appear here.</p>}
      {value && value.events.length > 0 && (
        <ol class="rows">
          {value.events.map(one => (
            <PreviewRow key={one.event.id} endpointId={endpointId} row={one} />
          ))}
        </ol>
      )}
    </section>
  );
}

/** What is shown of a body. It may have a megabyte. */
const shownCharacters = 4000;

type PreviewRowProps = { endpointId: string; row: ForwardPreview['events'][number] };

const PreviewRow = ({ endpointId, row: { event, body, problem } }: PreviewRowProps) => (
  <li>
    <div class="row tight rigid">
      <PlatformMark platform={event.platform} />
      <Link class="cut grow" to={`/app/endpoints/${endpointId}/events/${event.id}`}>
        {titleOf(event).text}
      </Link>
      <span class="faint small">
        <Time at={event.receivedAt} />
      </span>
    </div>
    {problem !== null && <p class="hint bad">Not sent: {problem}.</p>}
    {body !== '' && (
      <Code>
        {visibleText(body.slice(0, shownCharacters))}
        {body.length > shownCharacters && '…'}
      </Code>
    )}
  </li>
);
