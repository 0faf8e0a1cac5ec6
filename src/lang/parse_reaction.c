// Reactions: `when`, transitions, `choose`, and the actions they hold.
#include "lang/idioms.h"
#include "lang/parse.h"

// ---- actions

static void parse_assignment(Parser* parser, Action* action)
{
    action->kind = ACTION_ASSIGN;
    action->value = parser->error_expr;
    action->target = parse_path(parser);
    if (!parser->panic && parser_at(parser, TOKEN_PRIME))
    {
        Diag* diag = parser_error(parser, K_UNEXPECTED, parser_span(parser), "an action cannot set a derivative");
        diag_help(parser->diags, diag, "set the state itself, or define `x' = …` outside the reaction");
    }
    TokenKind sign = parser->token.kind;
    if (!parser->panic && (sign == TOKEN_PLUS || sign == TOKEN_MINUS) && parser_peek(parser).kind == sign)
    {
        const char *name = action->target->steps.at[0].name, *operator= token_text(sign);
        Diag* diag = parser_error(parser, K_UNEXPECTED, parser_span(parser), "there is no `%s%s`", operator, operator);
        diag_help(parser->diags, diag, "write `%s := %s %s 1`", name, name, operator);
    }
    if (!parser->panic && parser_at(parser, TOKEN_LEFT_PAREN) && parser->token.breaks == 0)
    {
        const char *name = action->target->steps.at[0].name, *idiom = idiom_function(name);
        Diag* diag = parser_error(parser, K_UNEXPECTED, action->target->span, "an action does not call `%s`", name);
        diag_help(parser->diags, diag, "%s",
                  idiom ? idiom : "an action is `x := value`, `emit event`, `emit event(value)` or `halt \"why\"`");
    }
    action->value = parse_value(parser, TOKEN_ASSIGN, "what an action sets");
}

static void parse_emit(Parser* parser, Action* action)
{
    action->kind = ACTION_EMIT;
    parser_next(parser);
    action->target = parse_path(parser);
    if (parser->panic || !parser_at(parser, TOKEN_LEFT_PAREN) || parser->token.breaks > 0)
        return;
    Span outer;
    parser_mark(parser, MARK_TIGHT);
    Token open = parser_open(parser, &outer);
    action->value = parse_expr(parser);
    parser_close(parser, open, outer, TOKEN_RIGHT_PAREN);
}

static void parse_action_elsewhere(Parser* parser)
{
    const char* message = "a reaction holds actions only: `x := …`, `emit` and `halt`";
    if (parser_at(parser, TOKEN_IF))
        parser_misplaced(parser, message, "put the condition in the head, `when event if condition { … }`");
    else if (parser_at(parser, TOKEN_FOR))
        parser_misplaced(parser, message, "put the `for` around the whole `when`");
    else
        parser_misplaced(parser, message, "move this out of the reaction");
}

static void parse_action(Parser* parser, void* actions)
{
    ActionList* list = actions;
    Action action = {.span = parser_span(parser)};
    TokenKind kind = parser->token.kind;
    TokenKind next = token_is_word(kind) ? parser_peek(parser).kind : TOKEN_END;
    if (next == TOKEN_ASSIGN || next == TOKEN_EQUALS)
        parser->token.breaks = 0;  // a word of the language, meant as a name: reported as such
    if (kind == TOKEN_NAME || next == TOKEN_ASSIGN || next == TOKEN_EQUALS)
        parse_assignment(parser, &action);
    else if (kind == TOKEN_EMIT)
        parse_emit(parser, &action);
    else if (kind == TOKEN_HALT)
    {
        action.kind = ACTION_HALT;
        parser_next(parser);
        action.text = parser_string(parser);
    }
    else
        return parse_action_elsewhere(parser);
    action.span = parser_span_from(parser, action.span.start);
    vec_push(parser->arena, *list, action);
}

// ---- triggers

static void parse_trigger(Parser* parser, Item* item)
{
    item->value = parse_condition(parser);
    if (parser_accept(parser, TOKEN_IF))
        item->guard = parse_condition(parser);
}

void parse_when(Parser* parser, ItemList* items, Expr* weight)
{
    Item* item = parser_new_item(parser, ITEM_WHEN);
    item->weight = weight;
    parser_next(parser);
    parse_trigger(parser, item);
    if (!parser->panic && parser_at(parser, TOKEN_ARROW))
    {
        Diag* diag = parser_error(parser, K_UNEXPECTED, parser_span(parser), "`when` has no target mode");
        diag_help(parser->diags, diag, "a transition is written `on event -> mode`");
    }
    parse_block(parser, "`when`", parse_action, &item->actions);
    parser_end_item(parser, item, items);
}

void parse_transition(Parser* parser, ItemList* items, Expr* weight)
{
    Item* item = parser_new_item(parser, ITEM_TRANSITION);
    item->weight = weight;
    item->target = parser->no_name;
    item->preempt = parser_accept(parser, TOKEN_PREEMPT);
    parser_expect(parser, TOKEN_ON, "after `preempt`");
    parser->arrows = true;
    parse_trigger(parser, item);
    parser->arrows = false;
    bool slipped = parser->token.suspect && parser_accept(parser, TOKEN_GE);  // `=>`, already reported
    const char* remedy = parser_at(parser, TOKEN_LEFT_BRACE) ? "what changes no mode is written `when event { … }`"
                         : parser_at(parser, TOKEN_ASSIGN) || parser_at(parser, TOKEN_SLASH)
                             ? "what is done on the way stands in braces: `on event -> mode { x := value }`"
                             : "a transition is written `on event if condition -> mode`";
    if (!parser->panic && !slipped && !parser_accept(parser, TOKEN_ARROW))
        parser_expected(parser, "`->` and a mode", remedy);
    item->resume = parser_accept(parser, TOKEN_RESUME);
    item->target = parser_name(parser, "the name of a mode", &item->target_span);
    if (!parser->panic && (parser_at(parser, TOKEN_ASSIGN) || parser_at(parser, TOKEN_SLASH)))
        parser_expected(parser, "`{` or the end of the transition",
                        "what is done on the way stands in braces: `on event -> mode { x := value }`");
    if (parser_at(parser, TOKEN_LEFT_BRACE) || parser->panic)
        parse_block(parser, "transition", parse_action, &item->actions);
    parser_end_item(parser, item, items);
}

// ---- choose

static void parse_alternative(Parser* parser, void* list)
{
    ItemList* items = list;
    Expr* weight = NULL;
    if (parser_accept(parser, TOKEN_WEIGHT))
    {
        weight = parse_condition(parser);
        if (!parser->panic && !parser_accept(parser, TOKEN_COLON))
            parser_expected(parser, "`:` after the weight", "write `weight 2 : when … { … }`");
        if (parser->panic)
            return;
    }
    TokenKind kind = parser->token.kind;
    if (kind == TOKEN_WHEN)
        parse_when(parser, items, weight);
    else if (kind == TOKEN_ON || kind == TOKEN_PREEMPT)
        parse_transition(parser, items, weight);
    else if (kind == TOKEN_FOR && !weight)
        parse_item(parser, items);
    else
        parser_misplaced(parser, "`choose` holds alternatives: `when`, `on` and `for`",
                         "move this out of the `choose`");
}

void parse_choose(Parser* parser, ItemList* items)
{
    Item* item = parser_new_item(parser, ITEM_CHOOSE);
    parser_next(parser);
    parse_block(parser, "`choose`", parse_alternative, &item->items);
    parser_end_item(parser, item, items);
}
