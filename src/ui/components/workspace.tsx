/* The session and the endpoints, loaded once and shared by the signed-in pages. */

import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Endpoint, Session } from '../wire.ts';

export type Workspace = {
  session: Session;
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
