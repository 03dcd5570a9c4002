/* The pages for a URL that does not exist. */

import type { ComponentChildren } from 'preact';
import { Empty } from './controls.tsx';
import { Link } from './navigation.tsx';

export const NotFoundPage = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <main class="page col">
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
