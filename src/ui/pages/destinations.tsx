/* Where the events of an endpoint go: its forwards and its replay jobs. */

import { ForwardsSection } from '../forwards/forward-list.tsx';
import { openJob } from '../inspector/replay/job-button.tsx';
import { Jobs } from '../jobs/jobs-page.tsx';
import { Button } from '../kit/controls.tsx';
import { Page, WithEndpoint } from '../kit/page.tsx';

export const DestinationsPage = ({ endpointId }: { endpointId: string }) => (
  <WithEndpoint id={endpointId}>
    {endpoint => (
      <Page title="Destinations" of={endpoint.name}>
        <ForwardsSection endpoint={endpoint} />
        <section class="col loose" aria-labelledby="jobs">
          <div class="page-head line loose spread">
            <div>
              <h2 id="jobs">Replay jobs</h2>
              <p class="soft">Send stored events again, at a pace of your choice.</p>
            </div>
            <Button icon="replay" onClick={() => openJob({ endpointId, where: '' })}>
              Replay events…
            </Button>
          </div>
          <Jobs endpointId={endpointId} />
        </section>
      </Page>
    )}
  </WithEndpoint>
);
