/* Explains the signature of an event: saved secrets are tried automatically, and a typed one can be tried and saved. */

import { useState } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import type { SignatureExplanation } from '../../../features/signatures/model.ts';
import { api } from '../../kit/api.ts';
import { Notice, Skeleton } from '../../kit/controls.tsx';
import { CopyButton } from '../../kit/copy-button.tsx';
import { Link } from '../../kit/navigation.tsx';
import { useQuery } from '../../kit/use-query.ts';
import { PairTable } from '../body/pair-table.tsx';
import { VerdictBadge } from '../event/badges.tsx';
import { useEventActions } from '../event/event-actions.ts';
import { describeVerdict } from '../event/verdict.ts';
import { ExplanationView } from './explanation-view.tsx';
import { Advice, SavedSecrets } from './saved-secrets.tsx';
import { SecretForm } from './secret-form.tsx';

const signatureHeader = /sign|hmac|svix|webhook-(id|timestamp)|verif|token|secret|hook-hash/i;

export function SignaturePanel({ event }: { event: EventDetail }) {
  const { id, signature } = event;
  const verdict = describeVerdict(event);
  const related = event.rawHeaders.filter(([name]) => signatureHeader.test(name));
  const { recheck } = useEventActions();
  const key = `${id} ${signature?.verdict} ${signature?.reason}`;
  const { value: shown, problem } = useQuery(key, () => api.checkSignature(id, {}));
  const [found, setFound] = useState<SignatureExplanation>();
  const isMended = signature?.verdict === 'valid';
  const explanation = found ?? shown;
  const form = (
    <SecretForm event={event} schemes={shown?.schemes ?? []} onFound={setFound} onSaved={() => void recheck()} />
  );
  return (
    <div class="scroll-pane col loose signature-panel">
      <div id="signature-verdict" class={`verdict card col ${verdict.tone}`} tabIndex={-1}>
        <VerdictBadge tone={verdict.tone} label={verdict.label} />
        <p>{verdict.sentence}</p>
        {shown ? (
          <SavedSecrets event={event} found={shown} advice={verdict.advice} />
        ) : (
          <Advice>{verdict.advice}</Advice>
        )}
        {verdict.action === 'confirm' && (
          <Link to={`/app/endpoints/${event.endpointId}/settings/secrets`} class="button plain">
            Review secrets
          </Link>
        )}
      </div>
      {isMended ? (
        <details>
          <summary>Check with another secret</summary>
          {form}
        </details>
      ) : (
        // Nothing that is stored of a redacted event can be checked again.
        signature?.checked !== 'arrival' && form
      )}
      {problem && <Notice tone="bad">{problem}</Notice>}
      {explanation ? <ExplanationView found={explanation} /> : !problem && <Skeleton rows={3} />}
      {related.length > 0 && (
        <>
          <h3 class="panel-title">Signature headers</h3>
          <PairTable label="Signature headers" rows={related.map(([name, value]) => ({ name, value }))} />
        </>
      )}
      <h3 class="panel-title">SHA-256 of the body</h3>
      <div class="raw-line line tight top">
        <code class="grow breaks">{event.sha256}</code>
        <CopyButton text={event.sha256} what="SHA-256" />
      </div>
    </div>
  );
}
