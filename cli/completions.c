// kairos --completions bash|zsh|fish: a script that the shell reads, made of the tables of commands, options and
// settings.
#include "cli/completions.h"

#include <string.h>

enum
{
    OPTIONS_MOST = 160
};

static const char ENDINGS[] = "kai,csv,cir";  // what the files of a command end in

// ---- texts

// The first clause, without what would end a quote in any of the shells.
static void put_about(const char* text)
{
    size_t length = strcspn(text, ";:");
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\'' || text[i] == '`' || text[i] == '"' || text[i] == '$' || text[i] == '[' || text[i] == ']')
            putchar(' ');
        else
            putchar(text[i]);
}

// "full|limits|unique" is a choice, NAME is not.
static bool is_choice(const CompletedOption* o)
{
    return o->argument != NULL && strchr(o->argument, '|') != NULL && o->argument[0] >= 'a' && o->argument[0] <= 'z';
}

static bool has_words(const CompletedOption* o)
{
    return is_choice(o) || (o->setting != NULL && o->setting->word_count > 0);
}

static void put_words(const CompletedOption* o)
{
    if (o->setting != NULL)
        for (int i = 0; i < o->setting->word_count; i++)
            printf("%s%s", i > 0 ? " " : "", o->setting->words[i].word);
    for (const char* at = o->setting == NULL ? o->argument : ""; *at != 0; at++)
        putchar(*at == '|' ? ' ' : *at);
}

static bool takes_file(const CompletedOption* o)
{
    return o->argument != NULL && strcmp(o->argument, "FILE") == 0;
}

// ---- bash

static void put_bash_command(const CompletedCommand* command)
{
    CompletedOption list[OPTIONS_MOST];
    int count = options_list(command->id, list, OPTIONS_MOST);
    printf("    %s)\n        case $before in\n", command->name);
    for (int i = 0; i < count; i++)
        if (has_words(&list[i]))
        {
            printf("        --%s) COMPREPLY=($(compgen -W '", list[i].name);
            put_words(&list[i]);
            puts("' -- \"$word\")); return ;;");
        }
    for (int i = 0; i < count; i++)
        if (takes_file(&list[i]))
            printf("        --%s | -%c) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n", list[i].name,
                   list[i].letter != 0 ? list[i].letter : '-');
    fputs("        esac\n        options='", stdout);
    for (int i = 0; i < count; i++)
        printf("%s--%s", i > 0 ? " " : "", list[i].name);
    puts("' ;;");
}

static void put_bash(const CompletedCommand* commands, int count)
{
    puts("# Completion of kairos for bash, written by `kairos --completions bash`.\n"
         "_kairos()\n{\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options=''\n"
         "    COMPREPLY=()\n"
         "    if [ \"$COMP_CWORD\" -eq 1 ]; then");
    fputs("        COMPREPLY=($(compgen -W '", stdout);
    for (int i = 0; i < count; i++)
        printf("%s ", commands[i].name);
    puts("help --help --version' -- \"$word\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in");
    for (int i = 0; i < count; i++)
        put_bash_command(&commands[i]);
    puts("    esac\n"
         "    if [[ $word == -* ]]; then\n"
         "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
         "    else\n"
         "        COMPREPLY=($(compgen -f -X '!*.@(kai|csv|cir)' -- \"$word\") $(compgen -d -- \"$word\"))\n"
         "    fi\n"
         "}\n"
         "shopt -s extglob\n"
         "complete -o filenames -F _kairos kairos");
}

// ---- zsh

static void put_zsh_option(const CompletedOption* o)
{
    fputs("            ", stdout);
    if (o->letter != 0)
        printf("'(-%c --%s)'{-%c,--%s%s}'[", o->letter, o->name, o->letter, o->name, o->argument != NULL ? "=" : "");
    else
        printf("'--%s%s[", o->name, o->argument != NULL ? "=" : "");
    put_about(o->text);
    putchar(']');
    if (has_words(o))
    {
        fputs(":value:(", stdout);
        put_words(o);
        putchar(')');
    }
    else if (o->argument != NULL)
        fputs(takes_file(o) ? ":file:_files" : ":value: ", stdout);
    puts("' \\");
}

static void put_zsh(const CompletedCommand* commands, int count)
{
    puts("#compdef kairos\n"
         "# Completion of kairos for zsh, written by `kairos --completions zsh`.\n"
         "_kairos()\n{\n    local -a commands\n    commands=(");
    for (int i = 0; i < count; i++)
    {
        printf("        '%s:", commands[i].name);
        put_about(commands[i].about);
        puts("'");
    }
    puts("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n    fi\n"
         "    local name=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $name in");
    for (int i = 0; i < count; i++)
    {
        CompletedOption list[OPTIONS_MOST];
        int options = options_list(commands[i].id, list, OPTIONS_MOST);
        printf("    %s)\n        _arguments \\\n", commands[i].name);
        for (int k = 0; k < options; k++)
            put_zsh_option(&list[k]);
        puts("            '*:file:_files -g \"*.(kai|csv|cir)(-.)\"' ;;");
    }
    puts("    esac\n}\n_kairos \"$@\"");
}

// ---- fish

static void put_fish_option(const CompletedCommand* command, const CompletedOption* o)
{
    printf("complete -c kairos -n '__fish_seen_subcommand_from %s' -l %s", command->name, o->name);
    if (o->letter != 0)
        printf(" -s %c", o->letter);
    if (o->argument != NULL)
        fputs(takes_file(o) ? " -r -F" : " -x", stdout);
    if (has_words(o))
    {
        fputs(" -a '", stdout);
        put_words(o);
        fputs("'", stdout);
    }
    fputs(" -d '", stdout);
    put_about(o->text);
    puts("'");
}

static void put_fish(const CompletedCommand* commands, int count)
{
    puts("# Completion of kairos for fish, written by `kairos --completions fish`.\ncomplete -c kairos -f");
    for (int i = 0; i < count; i++)
    {
        CompletedOption list[OPTIONS_MOST];
        int options = options_list(commands[i].id, list, OPTIONS_MOST);
        printf("complete -c kairos -n __fish_use_subcommand -a %s -d '", commands[i].name);
        put_about(commands[i].about);
        puts("'");
        printf("complete -c kairos -n '__fish_seen_subcommand_from %s' -a '(", commands[i].name);
        for (const char* at = ENDINGS; *at != 0; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
            printf("__fish_complete_suffix .%.*s;", (int)strcspn(at, ","), at);
        puts(")'");
        for (int k = 0; k < options; k++)
            put_fish_option(&commands[i], &list[k]);
    }
}

int completions_print(const char* shell, const CompletedCommand* commands, int count)
{
    if (shell != NULL && strcmp(shell, "bash") == 0)
        put_bash(commands, count);
    else if (shell != NULL && strcmp(shell, "zsh") == 0)
        put_zsh(commands, count);
    else if (shell != NULL && strcmp(shell, "fish") == 0)
        put_fish(commands, count);
    else
        return usage_error("--completions is followed by bash, zsh or fish");
    return EXIT_DONE;
}
