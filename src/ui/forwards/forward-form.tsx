/* The form that makes a forward, or changes one. Problems that the server finds are shown at their fields. */

import { useState } from 'preact/hooks';
import type { Forward, ForwardInput } from '../../features/forwards/model.ts';
import { forwardDefaults } from '../../shared/forwards.ts';
import { FilterField } from '../inspector/filter/filter-field.tsx';
import { useSeen, withoutMarks } from '../inspector/filter/use-seen-values.ts';
import { Form, Inputs, useForm } from '../kit/form.tsx';
import { visibleName } from '../kit/format/visible.ts';
import { Link, navigate } from '../kit/navigation.tsx';
import { Loaded, Page } from '../kit/page.tsx';
import { showToast } from '../kit/toasts.tsx';
import { useQuery } from '../kit/use-query.ts';
import { forwardRules, hasMore } from './forward-schema.ts';
import { showNewSecret } from './forward-secret.tsx';
import { destinationsPath, forwardPath, forwardsApi } from './forwards-api.ts';
import { RequestFields } from './request-fields.tsx';

/** @param id of the forward that is changed; undefined for a new one */
export function ForwardFormPage({ endpointId, id }: { endpointId: string; id?: string }) {
  const query = useQuery(id ?? '', () =>
    id === undefined ? Promise.resolve(undefined) : forwardsApi.forward(endpointId, id),
  );
  const known = query.value && visibleName(query.value.name);
  const back = id === undefined ? destinationsPath(endpointId) : forwardPath(endpointId, id);
  return (
    <Page
      isNarrow
      title={id === undefined ? 'New forward' : 'Edit forward'}
      {...(known && { tab: `${known}, edit` })}
      back={{ to: back, label: known ?? 'Destinations' }}
    >
      {id === undefined ? (
        <ForwardForm endpointId={endpointId} forward={undefined} back={back} />
      ) : (
        <Loaded query={query} what="this forward">
          {forward => <ForwardForm endpointId={endpointId} forward={forward} back={back} />}
        </Loaded>
      )}
    </Page>
  );
}

const signHints = {
  'as-captured': 'An event as it came keeps the signature of its sender. A request from a template has none.',
  own: 'Signed as Standard Webhooks. The secret is shown once, when you save.',
  fresh: 'Uses a saved secret that may sign for this destination. Events it may not sign are given up.',
};

type FormProps = { endpointId: string; forward: Forward | undefined; back: string };

function ForwardForm({ endpointId, forward, back }: FormProps) {
  const seen = useSeen(endpointId);
  const form = useForm({
    ...forwardRules,
    name: `forward.${endpointId}.${forward?.id ?? 'new'}`,
    initial: forward ?? forwardDefaults,
    isNew: forward === undefined,
    save: (request: ForwardInput) =>
      forward ? forwardsApi.change(endpointId, forward.id, request) : forwardsApi.create(endpointId, request),
    onSaved(saved = forward) {
      if (saved) navigate(forwardPath(endpointId, saved.id));
      if (saved?.sign === 'own' && forward?.sign !== 'own') void showNewSecret(endpointId, saved);
      const name = visibleName(saved?.name ?? '');
      showToast(forward ? `${name} was saved.` : `${name} was created. It starts with the next event.`);
    },
  });
  const [isOpen] = useState((forward !== undefined || form.restored !== 'no') && hasMore(form.draft));
  return (
    <Form
      form={form}
      class="card section forward-form"
      what="forward"
      submit={forward ? 'Save' : 'Create forward'}
      cancel={
        <Link class="button plain" to={back} onClick={form.forget}>
          Cancel
        </Link>
      }
    >
      <Inputs form={form} paths={['name', 'url']} />
      <FilterField
        label="Filter"
        input={form.input('where')}
        error={form.error}
        seen={seen}
        placeholder="every event"
        without={withoutMarks}
      />
      <RequestFields endpointId={endpointId} form={form} />
      <Inputs form={form} paths={['mode', 'orderBy']} />
      <details class="drawer" open={isOpen}>
        <summary>More options</summary>
        <div class="col loose">
          <div class="fit">
            <Inputs form={form} paths={['retry.for', 'retry.first', 'retry.max', 'timeoutS']} />
          </div>
          <p class="hint">Events that aren't accepted are retried with growing intervals until this time is over.</p>
          {form.draft.request === 'captured' && <Inputs form={form} paths={['headers']} />}
          <Inputs
            form={form}
            paths={['per', 'sign', 'enabled']}
            texts={{ sign: { hint: signHints[form.draft.sign] } }}
          />
        </div>
      </details>
      {forward && (
        <p class="hint">
          Waiting events use the new URL, headers and request. A new filter or order applies to new events only.
        </p>
      )}
    </Form>
  );
}
