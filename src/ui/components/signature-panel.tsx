/* Explains the signature verdict: what it means, why, and what to do about it. */

import type { EventDetail } from '../../features/events/model.ts';
import { platformTitle } from '../format/platforms.ts';
import { describeVerdict } from '../format/verdict.ts';
import { VerdictBadge } from './badges.tsx';
import { CopyButton } from './copy-button.tsx';
import { Link } from './navigation.tsx';
import { type PairRow, PairTable } from './pair-table.tsx';

const signatureHeader = /sign|hmac|svix|webhook-(id|timestamp)|verif|token|secret|hook-hash/i;

export function SignaturePanel({ event }: { event: EventDetail }) {
  const verdict = describeVerdict(event);
  const related = event.rawHeaders.filter(([name]) => signatureHeader.test(name));
  return (
    <div class="scroll-pane">
      <div class={`verdict ${verdict.tone}`}>
        <VerdictBadge tone={verdict.tone} label={verdict.label} />
        <p>{verdict.sentence}</p>
        {verdict.advice && <p class="advice">{verdict.advice}</p>}
        {verdict.action !== 'none' && (
          <Link to={`/app/endpoints/${event.endpointId}/settings`} class="button plain">
            {verdict.action === 'confirm' ? 'Review the secrets' : 'Register a secret'}
          </Link>
        )}
      </div>
      {event.signature && (
        <PairTable
          label="Scheme"
          rows={[...platformRow(event.signature.platform), { name: 'Scheme', value: event.signature.scheme }]}
        />
      )}
      {related.length > 0 && (
        <>
          <h3 class="panel-title">Signature headers</h3>
          <PairTable label="Signature headers" rows={related.map(([name, value]) => ({ name, value }))} />
        </>
      )}
      <h3 class="panel-title">SHA-256 of the body</h3>
      <div class="raw-line">
        <code>{event.sha256}</code>
        <CopyButton text={event.sha256} what="SHA-256" />
      </div>
    </div>
  );
}

const platformRow = (platform: string | null): PairRow[] =>
  platform === null ? [] : [{ name: 'Platform', value: platform, shown: platformTitle(platform) }];
