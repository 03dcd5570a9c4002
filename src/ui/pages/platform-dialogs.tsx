/* The dialogs in which a platform is chosen: the guide to connecting it, and its test events. */

import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import type { PlatformGuide, TestEventInput } from '../../features/test-events/model.ts';
import { GuardHint } from '../guard/guard-hint.tsx';
import { PlatformMark } from '../inspector/event/badges.tsx';
import { api } from '../kit/api.ts';
import { Button, Dialog, Field } from '../kit/controls.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { optional, secret, text } from '../kit/fields.tsx';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { Link, navigate } from '../kit/navigation.tsx';
import { Loaded } from '../kit/page.tsx';
import { loadPreference, savePreference } from '../kit/preferences.ts';
import type { SchemaOf } from '../kit/schema.ts';
import { type Query, useQuery } from '../kit/use-query.ts';

type ConnectDialogProps = {
  endpoint: Endpoint;
  platform?: string | undefined;
  onTest: (platform: string) => void;
  onClose: () => void;
};

export function ConnectDialog({ endpoint, platform, onTest, onClose }: ConnectDialogProps) {
  const platforms = usePlatforms();
  const [selectedName, setSelectedName] = useState(platform);
  return (
    <Dialog title="Connect a platform" onClose={onClose} wide>
      <Loaded query={platforms} what="the platforms" rows={6} inCard>
        {list => {
          const selected = list.find(one => one.name === selectedName) ?? list[0];
          return (
            selected && (
              <div class="platform-form">
                <PlatformPicker platforms={list} selected={selected} onSelect={({ name }) => setSelectedName(name)} />
                <Guide endpoint={endpoint} platform={selected} onTest={onTest} onClose={onClose} />
              </div>
            )
          );
        }}
      </Loaded>
    </Dialog>
  );
}

type GuideProps = Omit<ConnectDialogProps, 'platform'> & { platform: PlatformGuide };

const Guide = ({ endpoint, platform, onTest, onClose }: GuideProps) => (
  <div class="col loose breaks">
    <h3 class="line">
      <PlatformMark platform={platform.name} />
      {platform.title}
    </h3>
    <ol class="steps col loose">
      <li>
        <Where platform={platform} />
      </li>
      <li>
        Enter this URL:
        <span class="address line tight">
          <code class="soft breaks">{endpoint.url}</code>
          <CopyButton what="URL" text={endpoint.url} />
        </span>
        <GuardHint endpoint={endpoint} />
      </li>
      <li>
        {platform.secretHint === null ? (
          <>No signing secret: {platform.title} doesn't sign its webhooks.</>
        ) : (
          <>
            Find the signing secret: <strong>{platform.secretHint}</strong>.{' '}
            <Link to={`/app/endpoints/${endpoint.id}/settings/secrets`} onClick={onClose}>
              Register it
            </Link>{' '}
            and Hooktape checks every signature.
          </>
        )}
      </li>
    </ol>
    {platform.samples.length === 0 ? (
      <p class="hint">
        There is no test event: {platform.title} events are recognised by their signature, and only {platform.title} can
        sign.
      </p>
    ) : (
      <div class="line end">
        <Button icon="send" onClick={() => onTest(platform.name)}>
          Send test event
        </Button>
      </div>
    )}
  </div>
);

const Where = ({ platform: { title, docsUrl, setup } }: { platform: PlatformGuide }) => (
  <>
    {setup ? (
      <>
        At {title}: <strong>{setup.where}</strong>.{' '}
      </>
    ) : (
      <>Open {title}'s webhook settings. </>
    )}
    <a href={setup?.url ?? docsUrl} target="_blank" rel="noreferrer">
      Documentation
    </a>
  </>
);

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

type PlatformPickerProps = {
  platforms: readonly PlatformGuide[];
  selected: PlatformGuide | undefined;
  onSelect: (platform: PlatformGuide) => void;
};

function PlatformPicker({ platforms, selected, onSelect }: PlatformPickerProps) {
  const [text, setText] = useState('');
  const name = useId();
  const list = useRef<HTMLDivElement>(null);
  const found = platforms.filter(one => isFound(one, text));
  useEffect(() => {
    // With a list of its own: a scroll into view would also move the page.
    const checked = list.current?.querySelector<HTMLInputElement>('input:checked')?.parentElement;
    if (list.current && checked) list.current.scrollTop = checked.offsetTop - list.current.clientHeight / 2;
  }, []);
  const search = (next: string): void => {
    setText(next);
    const [first] = platforms.filter(one => isFound(one, next));
    if (first && !(selected && isFound(selected, next))) onSelect(first);
  };
  return (
    <div class="col">
      <Field
        label="Platform"
        type="search"
        placeholder="Search"
        autocomplete="off"
        value={text}
        onText={search}
        autoFocus
      />
      <div class="platform-list box anchor" role="radiogroup" aria-label="Platforms" ref={list}>
        {found.map(one => (
          <label key={one.name} class="option anchor breaks">
            <input
              type="radio"
              class="offscreen"
              name={name}
              checked={one.name === selected?.name}
              onChange={() => onSelect(one)}
            />
            <PlatformMark platform={one.name} />
            <span>{one.title}</span>
          </label>
        ))}
        {found.length === 0 && <p class="faint">No platform has this name.</p>}
      </div>
    </div>
  );
}

const isFound = ({ name, title }: PlatformGuide, text: string): boolean => {
  const wanted = text.trim().toLowerCase();
  return title.toLowerCase().includes(wanted) || name.includes(wanted);
};

let known: PlatformGuide[] | undefined;

function usePlatforms(): Query<PlatformGuide[]> {
  const query = useQuery('platforms', () => (known ? Promise.resolve(known) : api.platforms()));
  useEffect(() => {
    known = query.value ?? known;
  }, [query.value]);
  return known && !query.value ? { ...query, value: known } : query;
}
