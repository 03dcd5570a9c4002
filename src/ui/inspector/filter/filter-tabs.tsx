/* The saved filters of an endpoint, which the whole team shares, as tabs above its list. They are links. */

import { useEffect, useRef } from 'preact/hooks';
import type { SavedFilter } from '../../../features/filters/model.ts';
import { maxNameCharacters } from '../../../shared/limits.ts';
import { ApiError, advise, api } from '../../kit/api.ts';
import { Button, Dialog, IconButton } from '../../kit/controls.tsx';
import { confirm, openDialog } from '../../kit/dialogs.tsx';
import { text } from '../../kit/fields.tsx';
import { Form, Inputs, useForm } from '../../kit/form.tsx';
import { visibleLine, visibleName } from '../../kit/format/visible.ts';
import { Link } from '../../kit/navigation.tsx';
import { showToast } from '../../kit/toasts.tsx';
import { useQuery } from '../../kit/use-query.ts';

type FilterTabsProps = { endpointId: string; where: string; hrefOf: (where: string) => string };

export function FilterTabs({ endpointId, where, hrefOf }: FilterTabsProps) {
  const saved = useQuery(`filters ${endpointId}`, () => api.filters(endpointId));
  const filters = saved.value ?? [];
  const current = filters.find(one => one.where === where);
  const save = () =>
    openDialog(close => (
      <SaveFilter
        endpointId={endpointId}
        where={where}
        onSaved={filter => saved.set([...filters, filter])}
        onClose={close}
      />
    ));
  const remove = async (filter: SavedFilter): Promise<void> => {
    if (await askToDelete(endpointId, filter)) saved.set(filters.filter(one => one.id !== filter.id));
  };
  const tabs = useRef<HTMLUListElement>(null);
  useEffect(() => {
    tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current?.id, filters.length]);
  if (filters.length === 0 && where === '') return null;
  return (
    <nav class="filter-tabs line tight rigid" aria-label="Saved filters">
      <ul ref={tabs}>
        <li>
          <Link to={hrefOf('')} class="filter-tab cut soft" aria-current={where === '' ? 'page' : undefined}>
            All
          </Link>
        </li>
        {filters.map(filter => (
          <li key={filter.id} class={filter === current ? 'current' : ''}>
            <Link
              to={hrefOf(filter.where)}
              class="filter-tab cut soft"
              title={visibleLine(filter.where)}
              aria-current={filter === current ? 'page' : undefined}
            >
              {visibleName(filter.name)}
            </Link>
            {filter === current && (
              <IconButton
                icon="close"
                class="mini"
                label={`Delete the saved filter ${visibleName(filter.name)}`}
                onClick={() => remove(filter)}
              />
            )}
          </li>
        ))}
      </ul>
      {where !== '' && !current && saved.value && (
        <Button kind="quiet" icon="plus" onClick={save}>
          Save filter
        </Button>
      )}
    </nav>
  );
}

type SaveFilterProps = {
  endpointId: string;
  where: string;
  onSaved: (filter: SavedFilter) => void;
  onClose: () => void;
};

const schema = {
  name: text({ label: 'Name', maxLength: maxNameCharacters, autoFocus: true, required: 'Enter a name.' }),
};

function SaveFilter({ endpointId, where, onSaved, onClose }: SaveFilterProps) {
  const form = useForm({
    schema,
    messageAt: 'name',
    save: ({ name }: { name: string }) =>
      api.saveFilter(endpointId, name, where).catch(advise(403, 'Delete one you no longer use.')),
    onSaved(filter) {
      if (filter) onSaved(filter);
      onClose();
      showToast('Filter saved for your team.');
    },
  });
  return (
    <Dialog title="Save this filter" onClose={onClose}>
      <Form
        form={form}
        submit="Save filter"
        isLocked={form.draft.name.trim() === ''}
        cancel={<Button onClick={onClose}>Cancel</Button>}
      >
        <p>It becomes a tab above the list, for everyone on your team.</p>
        <pre class="code">{visibleLine(where)}</pre>
        <Inputs form={form} paths={['name']} />
      </Form>
    </Dialog>
  );
}

const askToDelete = (endpointId: string, { id, name, where }: SavedFilter): Promise<boolean> =>
  confirm({
    title: `Delete the filter ${visibleName(name)}?`,
    text: (
      <>
        <p>Its tab disappears for everyone on your team. No events are deleted.</p>
        <pre class="code">{visibleLine(where)}</pre>
      </>
    ),
    button: 'Delete filter',
    icon: 'trash',
    run: () =>
      api.deleteFilter(endpointId, id).catch((error: unknown) => {
        // A colleague may have deleted it.
        if (!(error instanceof ApiError && error.status === 404)) throw error;
      }),
  });
