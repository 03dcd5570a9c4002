/* The dialog that stores a sample delivery of a platform in the endpoint, and then opens it. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import type { PlatformGuide, TestEventInput } from '../../features/test-events/model.ts';
import { PlatformMark } from '../inspector/event/badges.tsx';
import { api } from '../kit/api.ts';
import { Dialog } from '../kit/controls.tsx';
import { optional, secret, text } from '../kit/fields.tsx';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { navigate } from '../kit/navigation.tsx';
import { Loaded } from '../kit/page.tsx';
import { loadPreference, savePreference } from '../kit/preferences.ts';
import type { SchemaOf } from '../kit/schema.ts';
import { PlatformPicker, usePlatforms } from './platform-picker.tsx';

const lastPlatform = 'test-platform';

type TestEventDialogProps = {
  endpoint: Endpoint;
  /** The platform to begin with; by default the last one. */
  platform?: string | undefined;
  onClose: () => void;
};

export function TestEventDialog({ endpoint, platform, onClose }: TestEventDialogProps) {
  const platforms = usePlatforms();
  return (
    <Dialog title="Send a test event" onClose={onClose} wide>
      <Loaded query={platforms} what="the platforms" rows={6} inCard>
        {list => (
          <TestEventForm
            endpoint={endpoint}
            platforms={list.filter(one => one.samples.length > 0)}
            platform={platform ?? loadPreference(lastPlatform)}
            onClose={onClose}
          />
        )}
      </Loaded>
    </Dialog>
  );
}

const schema = {
  platform: text({ label: 'Platform', required: 'Choose a platform.' }),
  sample: text({ label: 'Event', required: 'Choose an event.' }),
  secret: optional(
    secret({
      label: 'Signing secret (optional)',
      hint: 'Leave empty to use the test secret. A secret entered here is used once and not stored.',
    }),
  ),
} satisfies SchemaOf<TestEventInput>;

/** What is in the form once a platform was chosen. */
const startOf = ({ name, samples }: PlatformGuide) => ({ platform: name, sample: samples[0]?.name ?? '', secret: '' });

type TestEventFormProps = TestEventDialogProps & { platforms: readonly PlatformGuide[] };

function TestEventForm({ endpoint, platforms, platform, onClose }: TestEventFormProps) {
  const first = platforms.find(one => one.name === platform) ?? platforms[0];
  const find = (name: string) => platforms.find(one => one.name === name);
  const form = useForm({
    schema,
    initial: first ? startOf(first) : {},
    applies: (path, draft) => path !== 'secret' || find(draft.platform)?.signing === 'signed',
    save: (request: TestEventInput) => api.sendTestEvent(endpoint.id, request),
    onSaved(sent) {
      savePreference(lastPlatform, form.draft.platform);
      onClose();
      if (sent) navigate(`/app/endpoints/${endpoint.id}/events/${sent.eventId}`);
    },
  });
  const selected = find(form.draft.platform);
  return (
    <Form form={form} class="platform-form" submit="Send test event" submitIcon="send" isDialog>
      <PlatformPicker platforms={platforms} selected={selected} onSelect={next => form.change(startOf(next))} />
      {selected && (
        <div class="col loose breaks">
          <h3 class="line">
            <PlatformMark platform={selected.name} />
            {selected.title}
          </h3>
          <Samples platform={selected} selected={form.draft.sample} onSelect={sample => form.change({ sample })} />
          <p class="hint">{signingNote(selected)}</p>
          <Inputs form={form} paths={['secret']} />
        </div>
      )}
    </Form>
  );
}

type SamplesProps = { platform: PlatformGuide; selected: string | undefined; onSelect: (name: string) => void };

const Samples = ({ platform, selected, onSelect }: SamplesProps) => (
  <fieldset class="samples col tight">
    <legend>Event</legend>
    {platform.samples.map(({ name, title }) => (
      <label key={name} class="checkbox line baseline">
        <input type="radio" name="sample" checked={name === selected} onChange={() => onSelect(name)} />
        <span>
          {title} <code>{name}</code>
        </span>
      </label>
    ))}
  </fieldset>
);

function signingNote({ title, signing }: PlatformGuide): string {
  switch (signing) {
    case 'signed':
      return "Signed like the platform signs, with this endpoint's test secret.";
    case 'unsigned':
      return `Sent without a signature: only ${title} has the private key to make one.`;
    case 'none':
      return `Sent without a signature: ${title} doesn't sign its webhooks.`;
  }
}
