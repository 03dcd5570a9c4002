/* Previews of formats that several platforms share. */
import type { PreviewText } from './engine/platform.ts';

/** GitHub's payloads, and those of the forges that follow them. */
export const forgePreview: readonly PreviewText[] = [
  ['repository.full_name', 'organization.login', 'installation.account.login', 'sender.login'],
  ['action', 'ref', 'state'],
  [
    '#{pull_request.number}',
    '#{issue.number}',
    '#{discussion.number}',
    '#{alert.number}',
    '#{number}',
    'release.tag_name',
  ],
  [
    'pull_request.title',
    'issue.title',
    'discussion.title',
    'release.name',
    'workflow_run.name',
    'workflow_job.name',
    'check_run.name',
    'check_suite.head_branch',
    'head_commit.message',
    'commits.0.message',
    'deployment.environment',
    'description',
    'milestone.title',
    'label.name',
    'member.login',
    'zen',
  ],
];
