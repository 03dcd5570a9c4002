/* What the server found with saved secrets, and whether other events of the platform were valid around the same time. */

import type { ComponentChildren } from 'preact';
import type { EventDetail } from '../../../features/events/model.ts';
import type { SignatureExplanation } from '../../../features/signatures/model.ts';
import { api } from '../../kit/api.ts';
import { visibleName } from '../../kit/format/visible.ts';
import { Icon } from '../../kit/icons.tsx';
import { Link } from '../../kit/navigation.tsx';
import { useQuery } from '../../kit/use-query.ts';
import { useWorkspace } from '../../kit/workspace.tsx';
import { describeCause, describeChanges, describeNeighbours, describeSecrets, type Neighbours } from './wording.ts';

type SavedSecretsProps = {
  event: EventDetail;
  found: SignatureExplanation;
  /** Shown unless something more exact is known. */
  advice: string;
};

export function SavedSecrets({ event, found, advice }: SavedSecretsProps) {
  const { match, tried, causes, reason } = found;
  const isUnmatched = reason === 'wrong_secret_or_altered_body' && match === null;
  const neighbours = useNeighbours(event, isUnmatched ? found.platform : null);
  const { endpoints } = useWorkspace();
  if (!tried)
    return (
      <>
        <Advice>{match?.last4 ? `Its secret is ${describeSecrets([match])}.` : advice}</Advice>
        <Causes causes={causes} />
      </>
    );
  const { secrets, otherSecrets, changes } = tried;
  const other = match && match.endpointId !== event.endpointId ? match : undefined;
  const name = endpoints?.find(({ id }) => id === other?.endpointId)?.name;
  return (
    <>
      <Advice>{match ? '' : (neighbours && describeNeighbours(neighbours, found)) || advice}</Advice>
      {(secrets.length > 0 || otherSecrets > 0) && (
        <ul class="rows" aria-label="Saved secrets that were tried">
          {secrets.length > 0 && (
            <Row title="Saved secrets of this endpoint" isMatch={false}>
              {secrets.length} tried{secrets.some(({ last4 }) => last4 !== '') && `: ${describeSecrets(secrets)}`}
            </Row>
          )}
          {otherSecrets > 0 && (
            <Row title="Secrets of your other endpoints" isMatch={other !== undefined}>
              {other ? (
                <>
                  The secret {describeSecrets([other])} of{' '}
                  <Link to={`/app/endpoints/${other.endpointId}`}>{visibleName(name ?? 'another endpoint')}</Link>{' '}
                  matches. Enter it below to save it here, too.
                </>
              ) : (
                `${otherSecrets} tried`
              )}
            </Row>
          )}
          {secrets.length > 0 && !other && (
            <Row title="Usual changes on the way" isMatch={match !== null}>
              {match ? causes.map(describeCause).join(' ') : describeChanges(changes)}
            </Row>
          )}
        </ul>
      )}
      {!match && <Causes causes={causes} />}
    </>
  );
}

export const Advice = ({ children }: { children: string }) =>
  children === '' ? null : <p class="advice soft">{children}</p>;

type RowProps = { title: string; isMatch: boolean; children: ComponentChildren };

const Row = ({ title, isMatch, children }: RowProps) => (
  <li>
    <Icon name={isMatch ? 'check' : 'close'} />
    <span class="stack grow">
      <strong>{title}</strong>
      <span class="soft">{children}</span>
    </span>
    <span class={isMatch ? '' : 'soft'}>{isMatch ? 'Match' : 'No match'}</span>
  </li>
);

export const Causes = ({ causes }: Pick<SignatureExplanation, 'causes'>) =>
  causes.length === 0 ? null : (
    <ul class="causes col tight" aria-label={causes.some(one => one.proven) ? 'Cause' : 'Likely causes'}>
      {causes.map(one => (
        <li key={one.cause}>{describeCause(one)}</li>
      ))}
    </ul>
  );

const windowMs = 60_000;

/** Counts the other events of the platform within a minute, without test events. @param platform null: nothing is counted */
function useNeighbours({ id, endpointId, receivedAt }: EventDetail, platform: string | null): Neighbours | undefined {
  const time = (ms: number): string => new Date(receivedAt + ms).toISOString();
  const where = `platform:${JSON.stringify(platform)} received>=${time(-windowMs)} received<=${time(windowMs)} -has:header.x-hooktape-test`;
  const count = (verdict: string) => api.countEvents(endpointId, `${where} verdict:${verdict}`);
  const { value } = useQuery(`${id} ${platform}`, async () => {
    if (platform === null) return undefined;
    const [valid, invalid] = await Promise.all([count('valid'), count('invalid')]);
    // This event is one of the invalid ones.
    return { valid: valid.count, invalid: invalid.count - 1, isAll: valid.nextCursor === null };
  });
  return value;
}
