/* Team settings: the members, invitations by link, and removing members. */

import { useState } from 'preact/hooks';
import type { Invitation, Member } from '../../features/teams/model.ts';
import { api } from '../api.ts';
import { Button, Dialog, Field, Notice, Skeleton } from '../components/controls.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Time } from '../components/time.tsx';
import { showError, showToast } from '../components/toasts.tsx';
import { useQuery } from '../components/use-query.ts';
import { useWorkspace } from '../components/workspace.tsx';
import { formatExactTime } from '../format/time.ts';
import { visibleName } from '../format/visible.ts';

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
    <section class="card section">
      <h2>Team</h2>
      <p class="lead">
        All members see the same endpoints and events, and can replay them. Only owners can invite and remove members.
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
      {isOwner && <InviteForm />}
      {removing && (
        <Dialog title={`Remove ${visibleName(removing.email)}?`} onClose={() => setRemoving(undefined)}>
          <p>
            The account, its keys and its sessions are deleted immediately. Endpoints and events belong to the team and
            are kept.
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

/** Creates an invitation and shows its link once. */
function InviteForm() {
  const [email, setEmail] = useState('');
  const [problem, setProblem] = useState('');
  const [invitation, setInvitation] = useState<Invitation>();
  const invite = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      setInvitation(await api.invite(email.trim()));
      setEmail('');
      setProblem('');
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <form class="inline-form" onSubmit={invite}>
        <Field
          label="Invite by email address"
          type="email"
          value={email}
          onText={setEmail}
          required
          placeholder="colleague@example.com"
          problem={problem}
        />
        <Button type="submit" disabled={email.trim() === ''}>
          Create invitation link
        </Button>
      </form>
      {invitation && (
        <Dialog title={`Invitation for ${invitation.email}`} wide isPersistent onClose={() => setInvitation(undefined)}>
          <p>
            Hooktape does not send email. Send this link yourself. It works once and expires{' '}
            {formatExactTime(invitation.expiresAt)}.
          </p>
          <div class="address large">
            <code>{invitation.url}</code>
            <CopyButton kind="primary" label="Copy" text={invitation.url} />
          </div>
        </Dialog>
      )}
    </>
  );
}
