/**
 * Parameters of the older APIs: their paths name no registry centre, but a header or an earlier choice of the caller
 * does.
 */
import { createParamDecorator, type ExecutionContext, Inject, Injectable, type PipeTransform } from '@nestjs/common';
import { type Caller, type ConsoleRequest } from '../../security/callers/caller.js';
import { RegistryChoice } from '../../services/compat/registry-choice.js';
import { type ConsoleAction } from '../../services/jobs/noted-operations.js';
import { type ConsoleRegistry } from '../../services/registries/console-registry.js';

const REGISTRY = 'x-registry-center';

interface Choice {
  readonly caller: Caller;
  readonly named: string | undefined;
}

@Injectable()
class RegistryOfChoice implements PipeTransform<Choice, ConsoleRegistry> {
  constructor(@Inject(RegistryChoice) private readonly choice: RegistryChoice) {}

  transform({ caller, named }: Choice): ConsoleRegistry {
    return this.choice.of(caller, named);
  }
}

@Injectable()
class ActionOfChoice implements PipeTransform<Choice, ConsoleAction> {
  constructor(@Inject(RegistryChoice) private readonly choice: RegistryChoice) {}

  transform({ caller, named }: Choice): ConsoleAction {
    return { registry: this.choice.of(caller, named), caller };
  }
}

const choiceOf = createParamDecorator((_: unknown, context: ExecutionContext): Choice => {
  const { headers, elasticJobCaller } = context
    .switchToHttp()
    .getRequest<ConsoleRequest & { readonly elasticJobCaller: Caller }>();
  return { caller: elasticJobCaller, named: headers[REGISTRY] as string | undefined };
});

/** Gives a method the registry centre that the caller names in `X-Registry-Center` or has chosen. */
export function ChosenRegistry(): ParameterDecorator {
  return choiceOf(RegistryOfChoice);
}

/** Gives a method the action of a request in the registry centre that the caller names or has chosen. */
export function ChosenAction(): ParameterDecorator {
  return choiceOf(ActionOfChoice);
}
