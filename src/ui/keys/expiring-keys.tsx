/* The warning about API keys that expire within a week, or have expired: above the list of keys and on the page of all endpoints. */

import type { ApiKey } from '../../features/keys/model.ts';
import { Notice } from '../kit/controls.tsx';
import { formatMinute } from '../kit/format/time.ts';
import { visibleName } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { formatUntil } from '../kit/time.tsx';

const warningMs = 7 * 86_400_000;

/** `never` and `later` need no warning. */
export function expiryOf({ expiresAt }: ApiKey, now = Date.now()): 'never' | 'later' | 'soon' | 'over' {
  if (expiresAt === null) return 'never';
  if (expiresAt <= now) return 'over';
  return expiresAt - now <= warningMs ? 'soon' : 'later';
}

/** @param withLink to the list of keys */
export function ExpiringKeys({ keys, withLink = false }: { keys: readonly ApiKey[]; withLink?: boolean }) {
  const expiring = keys.filter(key => expiryOf(key) === 'soon');
  const [first] = expiring;
  if (!first?.expiresAt) return null;
  const title =
    expiring.length === 1
      ? `The key “${visibleName(first.name)}” expires ${formatUntil(first.expiresAt, Date.now())}`
      : `${expiring.length} API keys expire within a week`;
  return (
    <Notice tone="warn" title={title}>
      {expiring.length === 1
        ? `It stops working on ${formatMinute(first.expiresAt)}. `
        : `${expiring.map(({ name }) => visibleName(name)).join(', ')}. `}
      Create a new key and switch to it before then. {withLink && <Link to="/app/settings/keys">Go to API keys</Link>}
    </Notice>
  );
}
