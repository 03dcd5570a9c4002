/* The session and the endpoints, loaded once and shared by the signed-in pages. */

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Endpoint } from '../../features/endpoints/model.ts';
import type { SignedIn } from '../../features/sessions/model.ts';

export type Workspace = {
  session: SignedIn;
  /** Undefined until the first load is done. */
  endpoints: Endpoint[] | undefined;
  endpointsProblem: string;
  reloadEndpoints: () => void;
  setEndpoints: (endpoints: Endpoint[]) => void;
};

export const WorkspaceContext = createContext<Workspace | undefined>(undefined);

/** Throws outside of a signed-in page. */
export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext);
  if (!workspace) throw new Error('useWorkspace() needs a WorkspaceContext');
  return workspace;
}
