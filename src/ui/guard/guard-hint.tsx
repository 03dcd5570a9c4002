/* Names the credentials that senders need besides the endpoint's URL. Shows nothing if the guard asks for none. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { describeCredentials } from './credentials.ts';

export const GuardHint = ({ endpoint }: { endpoint: Endpoint }) => {
  const text = describeCredentials(endpoint.guard);
  return text === '' ? null : <p class="hint breaks">{text} Deliveries without it are refused with 401.</p>;
};
