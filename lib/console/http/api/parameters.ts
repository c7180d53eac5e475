/** Parameters of many methods of controllers: the registry centre of the path, and an action there. */
import {
  createParamDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
  Param,
  type PipeTransform,
} from '@nestjs/common';
import { type ConsoleRequest, type Caller } from '../../security/callers/caller.js';
import { type ConsoleAction } from '../../services/jobs/noted-operations.js';
import { type ConsoleRegistry } from '../../services/registries/console-registry.js';
import { Registries } from '../../services/registries/registries.js';
import { bodyOf, reasonOf } from '../requests.js';

/** Parameters of a query by their names, each as a text or absent. */
export type QueryOf<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/** A request for an action, before its registry centre is found. */
interface ActionRequest {
  readonly name: string;
  readonly body: unknown;
  readonly caller: Caller;
}

@Injectable()
class RegistryOfName implements PipeTransform<string, ConsoleRegistry> {
  constructor(@Inject(Registries) private readonly registries: Registries) {}

  transform(name: string): ConsoleRegistry {
    return this.registries.find(name);
  }
}

@Injectable()
class ActionOfRequest implements PipeTransform<ActionRequest, ConsoleAction> {
  constructor(@Inject(Registries) private readonly registries: Registries) {}

  transform({ name, body, caller }: ActionRequest): ConsoleAction {
    return { registry: this.registries.find(name), caller, reason: reasonOf(bodyOf<{ reason: unknown }>(body)) };
  }
}

const actionRequest = createParamDecorator((_: unknown, context: ExecutionContext): ActionRequest => {
  const { params, body, elasticJobCaller } = context.switchToHttp().getRequest<RoutedRequest>();
  return { name: params.registry, body, caller: elasticJobCaller };
});

interface RoutedRequest extends ConsoleRequest {
  readonly params: { readonly registry: string };
  readonly body: unknown;
  readonly elasticJobCaller: Caller;
}

/** Gives a method the registry centre that `:registry` of its path names. An unknown one is a 404. */
export function OnRegistry(): ParameterDecorator {
  return Param('registry', RegistryOfName);
}

/** Gives a method the action of a request: its registry centre, its caller, and the reason in its body. */
export function Acting(): ParameterDecorator {
  return actionRequest(ActionOfRequest);
}
