/* The guide to connecting a platform: where to enter the endpoint's URL there, and where the signing secret is. */

import { useState } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import type { PlatformGuide } from '../../features/test-events/model.ts';
import { GuardHint } from '../guard/guard-hint.tsx';
import { PlatformMark } from '../inspector/event/badges.tsx';
import { Button, Dialog } from '../kit/controls.tsx';
import { CopyButton } from '../kit/copy-button.tsx';
import { Link } from '../kit/navigation.tsx';
import { Loaded } from '../kit/page.tsx';
import { PlatformPicker, usePlatforms } from './platform-picker.tsx';

type ConnectDialogProps = {
  endpoint: Endpoint;
  /** The platform to begin with. */
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
