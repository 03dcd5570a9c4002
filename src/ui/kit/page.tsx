/* The frame of a page and its usual parts: header, card, facts, and what is shown while something loads or fails to. */

import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import { Button, Empty, Notice, Skeleton } from './controls.tsx';
import { visibleName } from './format/visible.ts';
import { Link } from './navigation.tsx';
import type { Query } from './use-query.ts';
import { useWorkspace } from './workspace.tsx';

type PageProps = {
  title: string;
  /** The name of the endpoint whose tab this page is. The tab bar shows the title already. */
  of?: string;
  /** The title of the browser's tab, if it differs. */
  tab?: string;
  back?: { to: string; label: string };
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  isNarrow?: boolean;
  class?: string;
  children: ComponentChildren;
};

export function Page(props: PageProps) {
  const { title, of, tab = title, back, lead, actions, isNarrow = false, class: own = '', children } = props;
  useTitle(of === undefined ? tab : `${visibleName(of)}, ${title.toLowerCase()}`);
  return (
    <main class={`page col ${isNarrow ? 'narrow' : ''} ${own}`}>
      {of === undefined ? (
        <header class="page-head line loose spread">
          <div class="breaks">
            {back && (
              <Link to={back.to} class="crumb">
                ← {back.label}
              </Link>
            )}
            <h1>{title}</h1>
            {lead && <p class="soft">{lead}</p>}
          </div>
          {actions}
        </header>
      ) : (
        <h1 class="offscreen">
          {title} of {visibleName(of)}
        </h1>
      )}
      {children}
    </main>
  );
}

/** Renders a page about one endpoint once the endpoints are loaded, or says that the endpoint does not exist. */
export function WithEndpoint({ id, children }: { id: string; children: (endpoint: Endpoint) => ComponentChildren }) {
  const { endpoints, endpointsProblem, reloadEndpoints } = useWorkspace();
  const endpoint = endpoints?.find(one => one.id === id);
  if (endpoint) return <>{children(endpoint)}</>;
  if (endpoints) return <EndpointNotFoundPage />;
  return (
    <main class="page col narrow">
      <Loaded
        query={{ value: undefined, problem: endpointsProblem, reload: reloadEndpoints }}
        what="the endpoint"
        rows={4}
      >
        {() => null}
      </Loaded>
    </main>
  );
}

type LoadedProps<T> = {
  query: Pick<Query<T>, 'value' | 'problem' | 'reload'>;
  /** What is loaded, for the message of a failure: “the alerts”. */
  what: string;
  hint?: string;
  rows?: number;
  /** Inside a card: the placeholders are lines, and a problem is a notice. */
  inCard?: boolean;
  children: (value: T) => ComponentChildren;
};

/** Shows a value as soon as it is loaded. If a later load fails, the old value stays visible below the message. */
export function Loaded<T>({ query, what, hint = '', rows = 3, inCard = false, children }: LoadedProps<T>) {
  const { value, problem, reload } = query;
  if (value !== undefined)
    return (
      <>
        {problem && <Notice tone="warn">{problem}</Notice>}
        {children(value)}
      </>
    );
  if (!problem) return <Skeleton rows={rows} kind={inCard ? 'line' : 'card'} />;
  const title = `Couldn't load ${what}`;
  const again = <Button onClick={reload}>Try again</Button>;
  return inCard ? (
    <Notice tone="bad" title={title} action={again}>
      {problem} {hint}
    </Notice>
  ) : (
    <Empty title={title} action={again}>
      {problem} {hint}
    </Empty>
  );
}

type CardProps = { title: string; id?: string; class?: string; lead?: ComponentChildren; children?: ComponentChildren };

export const Card = ({ title, id, class: own = '', lead, children }: CardProps) => (
  <section class={`card section ${own}`} {...(id !== undefined && { id })}>
    <h2>{title}</h2>
    {lead && <p class="lead">{lead}</p>}
    {children}
  </section>
);

type RowProps = {
  name: ComponentChildren;
  title?: string;
  about: ComponentChildren;
  children?: ComponentChildren;
};

export const Row = ({ name, title, about, children }: RowProps) => (
  <li>
    <div class="stack grow">
      <strong title={title}>{name}</strong>
      <span class="faint">{about}</span>
    </div>
    {children}
  </li>
);

type Fact = readonly [label: string, value: ComponentChildren];

type FactsProps = { facts: readonly (Fact | false)[]; class?: string };

/** Labels and values. A fact that does not apply is false. */
export const Facts = ({ facts, class: own = '' }: FactsProps) => (
  <dl class={`facts ${own}`}>
    {facts.map(
      fact =>
        fact && (
          <div key={fact[0]}>
            <dt>{fact[0]}</dt>
            <dd>{fact[1]}</dd>
          </div>
        ),
    )}
  </dl>
);

export const NotFoundPage = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <main class="page">
    <Empty
      isPage
      title={title}
      action={
        <Link to="/app" class="button plain">
          All endpoints
        </Link>
      }
    >
      {children}
    </Empty>
  </main>
);

export const EndpointNotFoundPage = () => (
  <NotFoundPage title="Endpoint not found">It was deleted, or it belongs to another team.</NotFoundPage>
);

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title ? `${title} · Hooktape` : 'Hooktape';
  }, [title]);
}

/** Says that a file declares an endpoint, so that changes made here may not last. */
export const DeclaredNotice = ({ what = 'values' }: { what?: string }) => (
  <Notice title="Managed by a file">
    The next <code>hooktape apply</code>, or the next server start with that file, overwrites changes made here with the{' '}
    {what} of the file.
  </Notice>
);
