/* Team settings: the members, removing members, and for owners the invitations. */

import { useState } from 'preact/hooks';
import type { Member } from '../../features/teams/model.ts';
import { api } from '../kit/api.ts';
import { Button, Dialog, Notice, Skeleton } from '../kit/controls.tsx';
import { visibleName } from '../kit/format/visible.ts';
import { Time } from '../kit/time.tsx';
import { showError, showToast } from '../kit/toasts.tsx';
import { useQuery } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { InvitationsSection } from './invitations.tsx';

export function TeamSection() {
  const { session } = useWorkspace();
  const team = useQuery('team', api.team);
  const [removing, setRemoving] = useState<Member>();
  const isOwner = session.role === 'owner';
  const remove = async (member: Member): Promise<void> => {
    setRemoving(undefined);
    try {
      await api.removeMember(member.id);
      team.reload();
      showToast(`${visibleName(member.email)} was removed.`);
    } catch (error) {
      showError(error);
    }
  };
  return (
    <>
      <section class="card section">
        <h2>Team</h2>
        <p class="lead">
          Everyone on the team sees the same endpoints and events. Only owners can invite and remove people.
        </p>
        {team.problem && <Notice tone="bad">{team.problem}</Notice>}
        {!team.value && !team.problem && <Skeleton rows={2} />}
        <ul class="rows">
          {team.value?.members.map(member => (
            <MemberRow
              key={member.id}
              member={member}
              isSelf={member.id === session.account.id}
              {...(isOwner ? { onRemove: () => setRemoving(member) } : {})}
            />
          ))}
        </ul>
        {removing && (
          <Dialog title={`Remove ${visibleName(removing.email)}?`} onClose={() => setRemoving(undefined)}>
            <p>
              Their account, API keys and sessions are deleted immediately. Endpoints and events belong to the team and
              stay. This can't be undone.
            </p>
            <div class="dialog-actions">
              <Button onClick={() => setRemoving(undefined)}>Cancel</Button>
              <Button kind="danger" onClick={() => remove(removing)}>
                Remove
              </Button>
            </div>
          </Dialog>
        )}
      </section>
      {isOwner && <InvitationsSection />}
    </>
  );
}

type MemberRowProps = { member: Member; isSelf: boolean; onRemove?: () => void };

const MemberRow = ({ member, isSelf, onRemove }: MemberRowProps) => (
  <li>
    <div class="stack grow">
      <strong>{visibleName(member.email)}</strong>
      <span class="faint">
        {member.role === 'owner' ? 'Owner' : 'Member'}, since <Time at={member.createdAt} long />
      </span>
    </div>
    {isSelf && <span class="badge muted">You</span>}
    {!isSelf && onRemove && (
      <Button kind="quiet" aria-label={`Remove ${visibleName(member.email)}`} onClick={onRemove}>
        Remove
      </Button>
    )}
  </li>
);
