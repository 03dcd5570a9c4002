/* The credentials that a guard asks for, in words. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { visibleLine } from '../kit/format/visible.ts';

/** Names the credentials that a sender must add to its requests; empty for none. */
export function describeCredentials(guard: Endpoint['guard']): string {
  const { basic, token } = guard ?? {};
  const parts = [
    ...(token?.in === 'query' ? [`the token, as ?${visibleLine(token.name)}=… at the end of the URL`] : []),
    ...(token?.in === 'header' ? [`the token, in the header ${visibleLine(token.name)}`] : []),
    ...(basic ? [`the user name ${visibleLine(basic.user)} and its password (HTTP Basic)`] : []),
  ];
  return parts.length === 0 ? '' : `The guard requires ${parts.join(', and ')}.`;
}

export const GuardHint = ({ endpoint }: { endpoint: Endpoint }) => {
  const text = describeCredentials(endpoint.guard);
  return text === '' ? null : <p class="hint breaks">{text} Deliveries without it are refused with 401.</p>;
};
