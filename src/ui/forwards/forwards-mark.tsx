/* Marks an endpoint that has forwards, and says when one is down, is paused or has given events up. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { visibleName } from '../kit/format/visible.ts';
import { HeaderMark } from '../kit/header-mark.tsx';
import { forwardsPath } from './forwards-api.ts';
import { useForwardsSlowly } from './use-forwards.ts';
import { markOf, stateOf } from './wording.ts';

/** For the header of the endpoint. Nothing without forwards. */
export function ForwardsMark({ endpoint: { id } }: { endpoint: Pick<Endpoint, 'id'> }) {
  const { value: forwards = [] } = useForwardsSlowly(id);
  if (forwards.length === 0) return null;
  const { label, tone } = markOf(forwards);
  return (
    <HeaderMark
      tone={tone}
      to={forwardsPath(id)}
      text={label}
      short="Forwards"
      title={forwards.map(one => `${visibleName(one.name)}: ${stateOf(one).label.toLowerCase()}`).join('\n')}
    />
  );
}
