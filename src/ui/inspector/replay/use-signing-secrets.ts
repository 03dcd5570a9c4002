/* The saved secrets that can sign a replay. Allowing one for a destination changes its settings for the whole team. */

import { useState } from 'preact/hooks';
import type { EventDetail } from '../../../features/events/model.ts';
import type { Secret } from '../../../features/secrets/model.ts';
import { ApiError, api } from '../../kit/api.ts';
import { confirm } from '../../kit/dialogs.tsx';
import { platformTitle } from '../../kit/format/platforms.ts';
import { visibleLine } from '../../kit/format/visible.ts';
import { useQuery } from '../../kit/use-query.ts';
import { isToUrl, type ReplayRequest } from './request.ts';

export type SigningSecrets = ReturnType<typeof useSigningSecrets>;

/** @param event undefined while it is loading, and for a batch */
export function useSigningSecrets(endpointId: string, event: EventDetail | undefined) {
  const [isNeeded, setIsNeeded] = useState(false);
  const [refused, setRefused] = useState<readonly string[]>([]);
  const valid = event?.signature?.verdict === 'valid' ? event.id : undefined;
  const query = useQuery(isNeeded ? `${endpointId} ${valid}` : '', async () => {
    if (!isNeeded) return undefined;
    const [{ secrets }, check] = await Promise.all([
      api.secrets(endpointId),
      valid === undefined ? undefined : api.checkSignature(valid, {}),
    ]);
    return { saved: secrets.filter(({ confirmed }) => confirmed), match: check?.match?.secretId };
  });
  const { saved, match } = query.value ?? { saved: [], match: undefined };

  /** The secret that has to be allowed before it signs this request. */
  const toAllow = (request: ReplayRequest | undefined) => {
    if (!request || !isToUrl(request)) return undefined;
    const secret = saved.find(({ id }) => id === request.sign?.secretId);
    const url = URL.parse(request.url);
    if (!secret || !url) return undefined;
    const isAllowed = secret.maySign && !refused.includes(keyOf(secret.id, url.origin));
    return isAllowed ? undefined : { secret, origin: url.origin, host: url.host };
  };

  return {
    /** The secret that can sign this event as it is, because its signature is valid with it. */
    able: saved.filter(({ id }) => id === match),
    load: (): void => setIsNeeded(true),
    isLoaded: query.value !== undefined && isNeeded,
    problem: query.problem,
    toAllow,

    /** Asks once, if the request needs it. @returns whether it may be sent */
    async allow(request: ReplayRequest): Promise<boolean> {
      const wanted = toAllow(request);
      if (!wanted) return true;
      const { secret, origin, host } = wanted;
      const destinations = isLoopback(origin) ? secret.destinations : [...new Set([...secret.destinations, origin])];
      const isAllowed = await confirm({
        title: `Allow signing for ${visibleLine(host)}?`,
        text: questionText(secret, destinations),
        button: 'Allow and sign',
        until: 'path',
        run: () => api.changeSecret(endpointId, secret.id, { maySign: true, destinations }),
      });
      if (!isAllowed) return false;
      setRefused(refused.filter(one => one !== keyOf(secret.id, origin)));
      query.reload();
      return true;
    },

    /** Only the server knows the destinations that its operator allows: it decides, and another secret is offered afterwards. */
    onRefused(request: ReplayRequest, error: unknown): void {
      if (!(error instanceof ApiError) || error.status !== 403 || !isToUrl(request) || !request.sign?.secretId) return;
      const secret = saved.find(({ id }) => id === request.sign?.secretId);
      const { origin } = new URL(request.url);
      if (secret && !isLoopback(origin) && !secret.destinations.includes(origin))
        setRefused([...refused, keyOf(secret.id, origin)]);
    },
  };
}

const keyOf = (secretId: string, origin: string): string => `${secretId} ${origin}`;

const isLoopback = (origin: string): boolean =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(origin).hostname);

/** Everything that the setting allows, and not only what is sent now. */
const questionText = (secret: Secret, destinations: readonly string[]): string =>
  `Anyone on your team can then replay unchanged, valid events re-signed with ${secretName(secret)} to ${[
    "this server's own machine (loopback)",
    ...destinations.map(visibleLine),
  ].join(', ')}. The secret is never shown. You can take this back in the endpoint's settings.`;

export const secretName = ({ platform, last4 }: Secret): string =>
  `${platform === null ? 'Any platform' : platformTitle(platform)}${last4 ? ` …${last4}` : ''}`;
