/* Team settings: the members and, for owners, removing members and inviting by link. A link is shown only when it is made. */

import type { Invitation, Member, PendingInvitation } from '../../features/teams/model.ts';
import { ActionButton } from '../kit/action.tsx';
import { api } from '../kit/api.ts';
import { Button, Notice } from '../kit/controls.tsx';
import { confirm, showSecretOnce } from '../kit/dialogs.tsx';
import { text } from '../kit/fields.tsx';
import { InlineForm, Inputs, useForm } from '../kit/form.tsx';
import { formatMinute } from '../kit/format/time.ts';
import { visibleName } from '../kit/format/visible.ts';
import { Card, Loaded, Row } from '../kit/page.tsx';
import { Time, Until } from '../kit/time.tsx';
import { useQuery } from '../kit/use-query.ts';
import { useWorkspace } from '../kit/workspace.tsx';

export function TeamSection() {
  const { session } = useWorkspace();
  const team = useQuery('team', api.team);
  const isOwner = session.role === 'owner';
  const remove = (member: Member) =>
    confirm({
      title: `Remove ${visibleName(member.email)}?`,
      text: "Their account, API keys and sessions are deleted immediately. Endpoints and events belong to the team and stay. This can't be undone.",
      button: 'Remove',
      run: () => api.removeMember(member.id),
      onDone: team.reload,
      toast: `${visibleName(member.email)} was removed.`,
    });
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

function InvitationsSection() {
  const pending = useQuery('invitations', api.invitations);
  const show = (invitation: Invitation): void => {
    pending.reload();
    void showSecretOnce({
      title: `Invite link for ${visibleName(invitation.email)}`,
      text: `Send this link to them yourself; Hooktape does not email invitations. It works once, expires ${formatMinute(invitation.expiresAt)}, and replaces any earlier link for this person.`,
      secret: invitation.url,
    });
  };
  /** The list is read again if it fails: the invitation may have been accepted or have expired since. */
  const change = async <T,>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      pending.reload();
      throw error;
    }
  };
  const resend = async ({ id }: PendingInvitation): Promise<void> => show(await change(() => api.resendInvitation(id)));
  const withdraw = ({ id, email }: PendingInvitation) =>
    confirm({
      title: `Withdraw the invitation for ${visibleName(email)}?`,
      text: 'Their link stops working immediately. You can invite them again later.',
      button: 'Withdraw',
      run: () => change(() => api.withdrawInvitation(id)),
      onDone: pending.reload,
      toast: `The invitation for ${visibleName(email)} was withdrawn.`,
    });
  return (
    <Card title="Invitations">
      <InviteForm onMade={show} />
      {pending.problem && <Notice tone="bad">{pending.problem}</Notice>}
      <ul class="rows" aria-label="Pending invitations">
        {pending.value?.map(one => (
          <PendingRow key={one.id} one={one} onResend={() => resend(one)} onWithdraw={() => withdraw(one)} />
        ))}
      </ul>
    </Card>
  );
}

type PendingRowProps = { one: PendingInvitation; onResend: () => Promise<void>; onWithdraw: () => void };

const PendingRow = ({ one, onResend, onWithdraw }: PendingRowProps) => (
  <Row
    name={visibleName(one.email)}
    about={
      <>
        invited by {visibleName(one.invitedBy)} <Time at={one.createdAt} long /> · expires <Until at={one.expiresAt} />
      </>
    }
  >
    <div class="row">
      <ActionButton kind="quiet" aria-label={`New link for ${visibleName(one.email)}`} act={onResend}>
        New link
      </ActionButton>
      <Button kind="quiet" aria-label={`Withdraw the invitation for ${visibleName(one.email)}`} onClick={onWithdraw}>
        Withdraw
      </Button>
    </div>
  </Row>
);

const schema = {
  email: text({
    label: 'Email',
    type: 'email',
    placeholder: 'colleague@example.com',
    hint: 'They join as a member and see all endpoints and events.',
    required: 'Enter their email.',
  }),
};

function InviteForm({ onMade }: { onMade: (invitation: Invitation) => void }) {
  const form = useForm({
    schema,
    messageAt: 'email',
    save: ({ email }: { email: string }) => api.invite(email),
    onSaved: made => made && onMade(made),
  });
  return (
    <InlineForm form={form} submit="Create invite link" isLocked={form.draft.email.trim() === ''}>
      <Inputs form={form} paths={['email']} />
    </InlineForm>
  );
}
