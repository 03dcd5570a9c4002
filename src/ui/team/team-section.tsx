/* Team settings: the members, removing members, and for owners the invitations. */

import type { Member } from '../../features/teams/model.ts';
import { api } from '../kit/api.ts';
import { Button } from '../kit/controls.tsx';
import { confirm } from '../kit/dialogs.tsx';
import { visibleName } from '../kit/format/visible.ts';
import { Card, Loaded, Row } from '../kit/page.tsx';
import { Time } from '../kit/time.tsx';
import { showToast } from '../kit/toasts.tsx';
import { useQuery } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';
import { InvitationsSection } from './invitations.tsx';

export function TeamSection() {
  const { session } = useWorkspace();
  const team = useQuery('team', api.team);
  const isOwner = session.role === 'owner';
  const remove = async (member: Member): Promise<void> => {
    const isRemoved = await confirm({
      title: `Remove ${visibleName(member.email)}?`,
      text: "Their account, API keys and sessions are deleted immediately. Endpoints and events belong to the team and stay. This can't be undone.",
      button: 'Remove',
      run: () => api.removeMember(member.id),
    });
    if (!isRemoved) return;
    team.reload();
    showToast(`${visibleName(member.email)} was removed.`);
  };
  return (
    <>
      <Card
        title="Team"
        lead="Everyone on the team sees the same endpoints and events. Only owners can invite and remove people."
      >
        <Loaded query={team} what="the team" rows={2} inCard>
          {({ members }) => (
            <ul class="rows">
              {members.map(member => (
                <MemberRow
                  key={member.id}
                  member={member}
                  isSelf={member.id === session.account.id}
                  {...(isOwner ? { onRemove: () => remove(member) } : {})}
                />
              ))}
            </ul>
          )}
        </Loaded>
      </Card>
      {isOwner && <InvitationsSection />}
    </>
  );
}

type MemberRowProps = { member: Member; isSelf: boolean; onRemove?: () => void };

const MemberRow = ({ member, isSelf, onRemove }: MemberRowProps) => (
  <Row
    name={visibleName(member.email)}
    about={
      <>
        {member.role === 'owner' ? 'Owner' : 'Member'}, since <Time at={member.createdAt} long />
      </>
    }
  >
    {isSelf && <span class="badge muted">You</span>}
    {!isSelf && onRemove && (
      <Button kind="quiet" aria-label={`Remove ${visibleName(member.email)}`} onClick={onRemove}>
        Remove
      </Button>
    )}
  </Row>
);
