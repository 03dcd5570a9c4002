/* The dialog that stores a sample delivery of a platform in the endpoint, and then opens it. */

import { useState } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import type { PlatformGuide } from '../../features/test-events/model.ts';
import { PlatformMark } from '../inspector/event/badges.tsx';
import { api } from '../kit/api.ts';
import { Button, Dialog, Field, Notice } from '../kit/controls.tsx';
import { navigate } from '../kit/navigation.tsx';
import { Loaded } from '../kit/page.tsx';
import { loadPreference, savePreference } from '../kit/preferences.ts';
import { PlatformPicker } from './platform-picker.tsx';
import { usePlatforms } from './use-platforms.ts';

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

type TestEventFormProps = TestEventDialogProps & { platforms: readonly PlatformGuide[] };

function TestEventForm({ endpoint, platforms, platform, onClose }: TestEventFormProps) {
  const [selected, setSelected] = useState(platforms.find(one => one.name === platform) ?? platforms[0]);
  const [sample, setSample] = useState(selected?.samples[0]?.name);
  const [secret, setSecret] = useState('');
  const [problem, setProblem] = useState('');
  const [isBusy, setIsBusy] = useState(false);
  const select = (next: PlatformGuide): void => {
    setSelected(next);
    setSample(next.samples[0]?.name);
    setSecret('');
    setProblem('');
  };
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!selected || sample === undefined) return;
    setIsBusy(true);
    try {
      const { eventId } = await api.sendTestEvent(endpoint.id, {
        platform: selected.name,
        sample,
        ...(secret !== '' && { secret }),
      });
      savePreference(lastPlatform, selected.name);
      onClose();
      navigate(`/app/endpoints/${endpoint.id}/events/${eventId}`);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setIsBusy(false);
    }
  };
  return (
    <form class="platform-form" onSubmit={send}>
      <PlatformPicker platforms={platforms} selected={selected} onSelect={select} />
      {selected && (
        <div class="col loose breaks">
          <h3 class="line">
            <PlatformMark platform={selected.name} />
            {selected.title}
          </h3>
          <Samples platform={selected} selected={sample} onSelect={setSample} />
          <p class="hint">{signingNote(selected)}</p>
          {selected.signing === 'signed' && (
            <Field
              label="Signing secret (optional)"
              type="password"
              autocomplete="off"
              spellcheck={false}
              value={secret}
              onText={setSecret}
              hint="Leave it empty to use the test secret. A secret entered here signs this event only and isn't stored."
            />
          )}
          {problem && <Notice tone="bad">{problem}</Notice>}
          <div class="dialog-actions">
            <Button kind="primary" icon="send" type="submit" busy={isBusy}>
              Send test event
            </Button>
          </div>
        </div>
      )}
    </form>
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
      return 'Signed the way the platform signs, with a test secret that belongs to this endpoint.';
    case 'unsigned':
      return `Sent without a signature: only ${title} has the private key to make one.`;
    case 'none':
      return `Sent without a signature: ${title} doesn't sign its webhooks.`;
  }
}
