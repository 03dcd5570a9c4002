/* The pages of an endpoint's forwards: all of them, one with its events, and the form that makes or changes one. */

import { WithEndpoint } from '../kit/page.tsx';
import { ForwardFormPage } from './forward-form.tsx';
import { ForwardsPage } from './forward-list.tsx';
import { ForwardPage } from './forward-page.tsx';

/** `id`: of a forward; `new` for the form of a new one, empty for all. `state`: which of its events are listed. */
type Shown = { id: string; isEdited: boolean; state: string | null };

export function ForwardsPages({ endpointId, shown }: { endpointId: string; shown: Shown }) {
  return (
    <WithEndpoint id={endpointId}>
      {endpoint => {
        if (shown.id === '') return <ForwardsPage endpoint={endpoint} />;
        if (shown.id === 'new') return <ForwardFormPage endpoint={endpoint} />;
        if (shown.isEdited) return <ForwardFormPage endpoint={endpoint} id={shown.id} />;
        return <ForwardPage endpoint={endpoint} id={shown.id} state={shown.state} />;
      }}
    </WithEndpoint>
  );
}
