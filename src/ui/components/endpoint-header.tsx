/* The line above the inspector: the endpoint's name and its URL, which `y` copies from anywhere on the page. */

import type { Endpoint } from '../../features/endpoints/model.ts';
import { visibleName } from '../format/visible.ts';
import { copyText } from './clipboard.ts';
import { CopyButton } from './copy-button.tsx';
import { showError, showToast } from './toasts.tsx';
import { useHotkeys } from './use-hotkeys.ts';

export function EndpointHeader({ endpoint }: { endpoint: Endpoint }) {
  useHotkeys({ y: () => void copyUrl(endpoint.url) });
  return (
    <section class="endpoint-header" aria-label="Endpoint">
      <strong title={visibleName(endpoint.name)}>{visibleName(endpoint.name)}</strong>
      <code class="endpoint-url" title={endpoint.url}>
        {endpoint.url}
      </code>
      <CopyButton what="URL (y)" text={endpoint.url} />
    </section>
  );
}

async function copyUrl(url: string): Promise<void> {
  if (await copyText(url)) showToast('URL copied.');
  else showError('The browser did not allow copying. Select the URL and copy it manually.');
}
