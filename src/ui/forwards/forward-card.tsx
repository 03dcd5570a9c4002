/* A forward in a list: where it leads and what it sent; while something is wrong, also what waits, since when and why. */

import type { Forward } from '../../features/forwards/model.ts';
import { visibleLine, visibleName } from '../kit/format/visible.ts';
import { Link } from '../kit/navigation.tsx';
import { AskButton, PauseButton } from './forward-buttons.tsx';
import { ForwardCounts, ForwardFigures, ForwardState, StateSentence } from './forward-state.tsx';
import { forwardPath } from './forwards-api.ts';
import { isTroubled } from './wording.ts';

type Props = {
  endpointId: string;
  forward: Forward;
  /** The last look at it has failed. */
  isStale: boolean;
  onChange: (forward: Forward) => void;
};

export const ForwardCard = ({ endpointId, forward, isStale, onChange }: Props) => (
  <li class="card forward-card">
    <div class="stack">
      <div class="row">
        <h3 class="breaks">
          <Link to={forwardPath(endpointId, forward.id)}>{visibleName(forward.name)}</Link>
        </h3>
        <ForwardState forward={forward} isStale={isStale} />
      </div>
      <code class="cut soft" title={visibleLine(forward.url)}>
        {visibleLine(forward.url)}
      </code>
      <Takes forward={forward} />
    </div>
    <ForwardFigures endpointId={endpointId} forward={forward} />
    {isTroubled(forward) && (
      <div class="forward-trouble row">
        {!isStale && <StateSentence forward={forward} />}
        <ForwardCounts endpointId={endpointId} forward={forward} />
        <div class="row">
          <AskButton endpointId={endpointId} forward={forward} onChange={onChange} />
          <PauseButton endpointId={endpointId} forward={forward} onChange={onChange} />
        </div>
      </div>
    )}
  </li>
);

/** Which events it takes, in which order, and what it sends for them. */
const Takes = ({ forward: { where, mode, orderBy, request, sign } }: { forward: Forward }) => (
  <span class="faint breaks">
    {where === '' ? (
      'All except refused'
    ) : (
      <>
        Only <code>{visibleLine(where)}</code>
      </>
    )}
    {mode === 'ordered' && ' · in order'}
    {mode === 'ordered' && orderBy !== null && (
      <>
        {' '}
        per <code>{visibleLine(orderBy)}</code>
      </>
    )}
    {request !== null && ` · sends ${request.method} ${visibleLine(request.contentType)} from a template`}
    {sign === 'own' && ' · signed with its own secret'}
    {sign === 'fresh' && ' · re-signed'}
  </span>
);
