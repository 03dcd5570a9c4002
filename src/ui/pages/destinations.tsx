/* Where the events of an endpoint go: its forwards and its replay jobs. */

import { ForwardsSection } from '../forwards/forward-list.tsx';
import { Jobs } from '../jobs/jobs-page.tsx';
import { Page, WithEndpoint } from '../kit/page.tsx';

export const DestinationsPage = ({ endpointId }: { endpointId: string }) => (
  <WithEndpoint id={endpointId}>
    {endpoint => (
      <Page title="Destinations" of={endpoint.name}>
        <ForwardsSection endpoint={endpoint} />
        <section class="col loose" aria-labelledby="jobs">
          <h2 id="jobs">Replay jobs</h2>
          <Jobs endpointId={endpointId} />
        </section>
      </Page>
    )}
  </WithEndpoint>
);
