import { bool, type Codec, int, type JuteReader, type JuteWriter, MalformedMessageError, record } from './jute.js';
import * as messages from './messages.js';

/** One part of a `multi` request: an operation and its question. */
export interface MultiPart {
  readonly opcode: number;
  /** Writes the question of the part. */
  write(to: JuteWriter): void;
}

/** The answer to one part. `error` is 0 in a part that would have succeeded had the others not failed. */
export type MultiPartAnswer =
  | { readonly type: 'created'; readonly stat?: messages.StatRecord }
  | { readonly type: 'written'; readonly stat: messages.StatRecord }
  | { readonly type: 'data'; readonly data: Buffer; readonly stat: messages.StatRecord }
  | { readonly type: 'children'; readonly names: readonly string[] }
  | { readonly type: 'done' }
  | { readonly type: 'failed'; readonly error: number };

const partHeader = record({ opcode: int, done: bool, error: int });
const END = { opcode: -1, done: true, error: -1 };
const ERROR_OPCODE = -1;

const question: Codec<readonly MultiPart[]> = {
  write(to, parts) {
    for (const part of parts) {
      partHeader.write(to, { opcode: part.opcode, done: false, error: -1 });
      part.write(to);
    }
    partHeader.write(to, END);
  },
  read() {
    throw new MalformedMessageError('Servers do not send multi requests');
  },
};

const answer: Codec<readonly MultiPartAnswer[]> = {
  write() {
    throw new MalformedMessageError('Clients do not send answers to multi requests');
  },
  read(from) {
    const answers: MultiPartAnswer[] = [];
    for (let header = partHeader.read(from); !header.done; header = partHeader.read(from)) {
      answers.push(partAnswer(header.opcode, from));
    }
    return answers;
  },
};

function partAnswer(opcode: number, from: JuteReader): MultiPartAnswer {
  switch (opcode) {
    case ERROR_OPCODE:
      return { type: 'failed', error: from.int() };
    case messages.createPart.opcode:
      messages.pathQuestion.read(from);
      return { type: 'created' };
    // Servers differ in which of the two they answer for a container.
    case messages.create.opcode:
    case messages.createContainer.opcode:
      return { type: 'created', stat: messages.createAnswer.read(from).stat };
    case messages.setData.opcode:
      return { type: 'written', stat: messages.statRecord.read(from) };
    case messages.getData.opcode:
      return { type: 'data', ...messages.dataAnswer.read(from) };
    case messages.getChildren.opcode:
      return { type: 'children', names: messages.getChildren.answer.read(from).children };
    case messages.remove.opcode:
    case messages.check.opcode:
      return { type: 'done' };
    default:
      throw new MalformedMessageError(`The answer to a transaction contains the unknown operation ${opcode}`);
  }
}

/** A part made of an operation and its question. */
export function multiPart<Question>(
  operation: Pick<messages.Operation<Question, unknown>, 'opcode' | 'question'>,
  value: Question,
): MultiPart {
  return { opcode: operation.opcode, write: (to) => operation.question.write(to, value) };
}

/** All or nothing. */
export const multi = { verb: 'commit', opcode: 14, question, answer };
/** Several reads at one moment; each has its own error. */
export const multiRead = { verb: 'read', opcode: 22, question, answer };
