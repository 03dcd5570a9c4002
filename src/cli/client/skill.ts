/* `hooktape skill`: prints the skill that explains Hooktape to a coding agent. It is part of the program and needs no server. */
import skill from '../../../skills/hooktape/SKILL.md' with { type: 'text' };
import { exitCodes, type Run } from '../io.ts';
import { parseClientArguments } from './client-arguments.ts';
import { printJson } from './output.ts';

export const runSkill: Run = async (args, io, usage) => {
  const { json } = parseClientArguments(args, usage);
  if (json) printJson(io, { skill });
  else io.stdout(skill);
  return exitCodes.done;
};
